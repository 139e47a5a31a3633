import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/platform/database/migrate.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { needTools, startInstalledServer } from "../../outside/installed-postgres.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

const { SECS, PER_SEC } = scenarioSize({
  quick: { SECS: 240, PER_SEC: 200 },
  usual: { SECS: 600, PER_SEC: 200 },
  whole: { SECS: 3_600, PER_SEC: 500 },
});
const WITHIN_MS = 120_000;
const MOST = 1.5;
/**
 * Their entries ascend within each job, so they arrive in the middle of the index, where PostgreSQL splits a full page in
 * halves: 0.9 of a page anew, and half of one that nothing fills again. A change that is not in place adds an entry.
 */
const AT_SEVERAL_ENDS = new Map([
  ["idempotency_keys_pkey", 2.1],
  ["runs_of_job_idx", 2.1],
]);
/** Below it, a few pages are a large share. */
const SMALL_BYTES = 1_048_576;
/** Of a table that is empty once everything has ended. */
const MOST_WHEN_EMPTY_BYTES = 64 * 1_048_576;
const EMPTIED = new Set(["run_queue", "changelog_inbox", "outbox", "unindexed_runs"]);

type Size = { name: string; of_table: string; bytes: number };

describe("tables and indexes after a load, with the autovacuum of a PostgreSQL as it is installed", () => {
  it(
    "are at most one and a half times as large as when they are written anew",
    async () => {
      const { connection } = await startInstalledServer(await needTools());
      await migrate(connection, pino({ level: "silent" }));
      const harness = await openHarness({ name: "bloat", instances: 2, connection });
      const project = await harness.project();
      const endpoint_url = harness.receiver.endpoint("work", ({ dispatch: { attempt }, body }) =>
        attempt === 1 && body.payload.nth % 20 === 0 ? { status: 500 } : { body: { attempt } },
      );
      const shared = { endpoint_url, max_attempts: 10, retry_strategy: "fixed" };
      const free = await project.post("/v1/jobs", { name: "Free", ...shared });
      const limited = await project.post("/v1/jobs", { name: "Limited", max_concurrency: 20, ...shared });
      const load = startSteadyLoad(project, [free.body.id, free.body.id, free.body.id, limited.body.id], PER_SEC);
      await pause(SECS * 1_000);
      await load.stop();
      const loaded = await sizesOf(connection);
      await harness.settle(WITHIN_MS);
      const settled = await sizesOf(connection);
      await writeAnew(connection);
      const anew = new Map((await sizesOf(connection)).map(({ name, bytes }) => [name, bytes]));
      const kept = settled
        .filter(({ of_table, bytes }) => !EMPTIED.has(of_table) && bytes > SMALL_BYTES)
        .map((size) => ({ ...size, ratio: size.bytes / (anew.get(size.name) ?? size.bytes) }));
      const emptied = loaded.filter(({ of_table }) => EMPTIED.has(of_table));
      console.info(
        `${load.acknowledged()} runs in ${SECS} s (${PER_SEC} a second offered)\n` +
          [...kept, ...emptied].map(describeSize).join("\n"),
      );
      expect(kept.filter(({ name, ratio }) => ratio > (AT_SEVERAL_ENDS.get(name) ?? MOST)).map(describeSize)).toEqual(
        [],
      );
      expect(emptied.filter(({ bytes }) => bytes > MOST_WHEN_EMPTY_BYTES).map(describeSize)).toEqual([]);
    },
    (SECS + 900) * 1_000,
  );
});

function describeSize({ name, bytes, ratio }: Size & { ratio?: number }): string {
  return `${name}: ${(bytes / 1_048_576).toFixed(1)} MB${ratio === undefined ? "" : `, ${ratio.toFixed(2)}`}`;
}

/** Tables without their TOAST, and indexes. */
function sizesOf(connection: TestConnection): Promise<Size[]> {
  return runSql(
    connection,
    `select c.relname::text as name, coalesce(t.relname, c.relname)::text as of_table, pg_relation_size(c.oid)::float8 as bytes
     from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') order by 3 desc`,
  );
}

/** The service may hold locks for a moment. */
async function writeAnew(connection: TestConnection): Promise<void> {
  for (const { name, of_table } of await sizesOf(connection))
    if (name === of_table) await runSql(connection, `vacuum full "${name}"`);
}

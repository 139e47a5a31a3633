import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Ctx } from "../../../src/platform/context.ts";
import { openDatabase } from "../../../src/platform/database/db.ts";
import { keepPartitions, type Partitioned } from "../../../src/platform/database/partitions.ts";
import { TIMEOUTS } from "../../../src/platform/database/timeouts.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

const { ROUNDS, PER_SEC } = scenarioSize({
  quick: { ROUNDS: 20, PER_SEC: 40 },
  usual: { ROUNDS: 30, PER_SEC: 100 },
  whole: { ROUNDS: 200, PER_SEC: 200 },
});
const WITHIN_MS = 60_000;
const KEEP_SECS = 7 * 86_400;
const OLD_DAYS = ["20200101", "20200102"];
const TABLES: Partitioned["table"][] = ["run_transitions", "run_logs", "workflow_decisions"];

describe("the days of partitioned tables", () => {
  it(
    "are made and dropped under load: no request fails, and no run is lost",
    async () => {
      const harness = await openHarness({ name: "partitions", instances: 2 });
      const { connection } = harness;
      const project = await harness.project();
      // Some fail at first: a retry is a transition that is stored.
      const endpoint_url = harness.receiver.endpoint("work", ({ dispatch: { attempt }, body }) =>
        attempt === 1 && body.payload.nth % 5 === 0 ? { status: 500 } : { body: { attempt } },
      );
      const { body: job } = await project.post("/v1/jobs", { name: "Work", endpoint_url, retry_strategy: "fixed" });
      const load = startSteadyLoad(project, [job.id], PER_SEC);
      const ctx = contextOf(connection);
      const tookMs: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        for (const table of TABLES) {
          const coming = await unmakeDays(connection, table);
          const startedAt = performance.now();
          await untilKept(ctx, table);
          tookMs.push(performance.now() - startedAt);
          expect(await daysOf(connection, table)).toEqual(expect.arrayContaining(coming));
          expect(await daysOf(connection, table)).not.toEqual(expect.arrayContaining([OLD_DAYS[0]]));
        }
      }
      await load.stop();
      await harness.settle(WITHIN_MS);
      const { history, violations } = await harness.check();
      const failed = history.calls.filter(({ status }) => status === 0 || status >= 500);
      const sorted = tookMs.sort((a, b) => a - b);
      console.info(
        `${ROUNDS * TABLES.length} times two days dropped and three made, at ${PER_SEC} triggers a second: each ` +
          `${Math.round(sorted[sorted.length >> 1] ?? 0)} ms (median) to ${Math.round(sorted.at(-1) ?? 0)} ms; ` +
          `${history.calls.length} requests, ${failed.length} failed; ${history.runs.length} runs`,
      );
      expect(violations).toEqual({});
      expect(failed).toEqual([]);
      expect(history.runs.length).toBe(load.acknowledged());
    },
    WITHIN_MS + 600_000,
  );
});

function contextOf(connection: TestConnection): Ctx {
  const log = pino({ level: "silent" });
  const database = openDatabase(connection, connection, log, TIMEOUTS);
  onTestFinished(() => database.close());
  return { db: database.db, log, watch: { isUp: () => true } } as unknown as Ctx;
}

/** Drops the coming days and adds two that are outdated, with a row each if that is possible. Returns the coming days. */
async function unmakeDays(connection: TestConnection, table: string): Promise<string[]> {
  const today = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const coming = (await daysOf(connection, table)).filter((day) => day > today);
  for (const day of coming) await runSql(connection, `drop table ${table}_${day}`);
  for (const day of OLD_DAYS) {
    const next = String(Number(day) + 1);
    await runSql(
      connection,
      `create table ${table}_${day} partition of ${table} for values from ('${day}') to ('${next}')`,
    );
  }
  return coming;
}

/** Each change gives up after half a second without its lock; the task then tries again later. */
async function untilKept(ctx: Ctx, table: Partitioned["table"]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await keepPartitions(ctx, { table, keep_secs: KEEP_SECS }));
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

async function daysOf(connection: TestConnection, table: string): Promise<string[]> {
  const rows = await runSql<{ day: string }>(
    connection,
    `select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = '${table}'::regclass and c.relname ~ '_[0-9]{8}$' order by 1`,
  );
  return rows.map(({ day }) => day);
}

import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../seed/make-workflow.ts";
import { ROOT, SECRETS, serveEnv, startService, urlOf, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { dropDatabase, emptyDatabase, runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";
import { buildRevision } from "../differential/baseline.ts";

useServices();

/** Rows of each of the tables below. */
const ROWS = scenarioSize({ quick: 20_000, usual: 200_000, whole: 1_000_000 });
const PER_SEC = 50;
const BASE_MS = scenarioSize({ quick: 5_000, usual: 15_000, whole: 30_000 });
const INSERT = 50_000;
/** A migration waits for a lock no longer, and then tries again. */
const LOCKED_WITHIN_MS = 2_000;
const WITHIN_MS = 300_000;

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** Before the last migrations that change a large table; UPGRADE_FROM names another version. */
function previousVersion(): string {
  if (process.env.UPGRADE_FROM) return process.env.UPGRADE_FROM;
  return `${git("log", "-1", "--diff-filter=A", "--format=%h", "--", "server/migrations/0034_turns.sql")}^`;
}

let connection: TestConnection;
let previous: string;
beforeAll(async () => {
  connection = await emptyDatabase();
  previous = buildRevision(previousVersion());
}, 300_000);
afterAll(() => dropDatabase(connection));

describe("migrations of tables with many rows, under load", () => {
  it("fail no request of the version before, and no trigger waits for them for long", {
    timeout: 3_600_000,
  }, async () => {
    const env = serveEnv(urlOf(connection), {
      ALLOW_PRIVATE_ENDPOINTS: "true",
      RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
      RATE_LIMIT_API_PER_MINUTE: "0",
    });
    const old = await startService("serve", { env, program: previous });
    const admin = makeClient(old.url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
    const { body: project } = await admin.post("/v1/projects", { name: "Large" });
    const { body: created } = await admin.post("/v1/api-keys", { name: "load", project_id: project.id });
    const api = makeClient(old.url, { authorization: `Bearer ${created.key}` });
    const job = await makeJob({ api });
    const { body: run, text } = await api.post(`/v1/jobs/${job.id}/trigger`, { delay_secs: 86_400 });
    if (!run.id) throw new Error(text);
    for (const [table, id] of [
      ["runs", "id"],
      ["run_queue", "run_id"],
    ] as const)
      await copyRow(table, id, run.id);
    await runSql(connection, "analyze");
    const before = await migrations();

    const load = startTriggers((body) => api.post(`/v1/jobs/${job.id}/trigger`, body));
    await pause(BASE_MS);
    const startedAt = performance.now();
    const fresh = await startService("serve", { env });
    const migratedMs = Math.round(performance.now() - startedAt);
    await pause(BASE_MS);
    const endedAt = performance.now();
    await load.stop();
    const after = await migrations();
    const [base, during, later] = [
      load.calls.filter(({ at }) => at < startedAt),
      load.calls.filter(({ at }) => at >= startedAt && at < startedAt + migratedMs),
      load.calls.filter(({ at }) => at >= startedAt + migratedMs && at < endedAt),
    ];
    console.info(
      `from ${previousVersion()} (${before.length} migrations) to ${after.length}, ${ROWS} runs, all in the queue: the new version was ready ` +
        `after ${migratedMs} ms; triggers before ${describeTimes(base)}; during ${describeTimes(during)}; after ${describeTimes(later)}`,
    );
    expect(after.length).toBeGreaterThan(before.length);
    expect(load.calls.filter(({ status }) => status !== 201)).toEqual([]);
    expect(Math.max(...during.map(({ ms }) => ms))).toBeLessThanOrEqual(
      LOCKED_WITHIN_MS + Math.max(...base.map(({ ms }) => ms)),
    );
    expect((await makeClient(fresh.url, {}).get("/health/ready")).status).toBe(200);
    expect((await makeClient(old.url, {}).get("/health/ready")).status).toBe(200);
  });
});

const migrations = () => runSql(connection, "select name from migrations");

/** Copies a row under new ids. */
async function copyRow(table: string, id: string, of: string): Promise<void> {
  const columns = await runSql<{ name: string }>(
    connection,
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  // The same ids in every table.
  const values = names.map((name) => (name === id ? "md5('copy ' || nth)::uuid" : `t.${name}`));
  for (let from = 0; from < ROWS; from += INSERT) {
    await runSql(
      connection,
      `insert into ${table} (${names.join(", ")}) select ${values.join(", ")}
       from ${table} t, generate_series($2::int, $3::int) nth where t.${id} = $1`,
      [of, from + 1, Math.min(ROWS, from + INSERT)],
    );
  }
}

type Call = { at: number; ms: number; status: number };

/** At a steady rate, whatever the responses. */
function startTriggers(trigger: (body: object) => Promise<{ status: number }>) {
  const calls: Call[] = [];
  const open = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const at = performance.now();
    const call = trigger({ delay_secs: 86_400 })
      .then(
        ({ status }) => status,
        () => 0,
      )
      .then((status) => calls.push({ at, ms: performance.now() - at, status }));
    open.add(call);
    void call.finally(() => open.delete(call));
  }, 1_000 / PER_SEC);
  return {
    calls,
    stop: async () => {
      clearInterval(timer);
      await until("the last triggers", WITHIN_MS, () => open.size === 0);
    },
  };
}

function describeTimes(calls: readonly Call[]): string {
  const sorted = calls.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `${sorted.length}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { makeJob } from "../../seed/make-workflow.ts";
import { SECRETS, serveOn, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { cloneDatabase, runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

const POLLS = scenarioSize({ quick: 100, usual: 1_000, whole: 1_000 });
const WINDOW_SECS = scenarioSize({ quick: 10, usual: 10, whole: 10 });
const WAIT_SECS = 30;
/** Polls of the SDK, which are renewed all the time. */
const SDK_WAIT_SECS = 20;
/** Code that has run a few thousand times is compiled: until then a renewal costs three times as much. */
const WARM_UP_SECS = scenarioSize({ quick: 20, usual: 80, whole: 80 });
/** `getconf CLK_TCK` of Linux. */
const TICKS_PER_SEC = 100;

/** All polls wait by then, and a connection of PostgreSQL that is idle for ten seconds has counted its statements. */
const STATISTICS_MS = 15_000;

/** Of all polls together: one a second finds lanes whose wake-up was lost. */
const MAX_STATEMENTS_PER_SEC = 3;

type Work = { cpu_pct: number; statements_per_sec: number };

function cpuSecsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

/** Transactions; a statement outside of one counts as one. */
async function statementsOf(connection: TestConnection): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    connection,
    `select (pg_stat_get_db_xact_commit(oid) + pg_stat_get_db_xact_rollback(oid))::float8 as count
     from pg_database where datname = current_database()`,
  );
  return row?.count ?? Number.NaN;
}

/** What the service does in a window of time. */
async function workOf(pid: number, connection: TestConnection): Promise<Work> {
  const [cpuSecs, statements, startedAt] = [cpuSecsOf(pid), await statementsOf(connection), performance.now()];
  await pause(WINDOW_SECS * 1_000);
  const secs = (performance.now() - startedAt) / 1_000;
  return {
    cpu_pct: (100 * (cpuSecsOf(pid) - cpuSecs)) / secs,
    statements_per_sec: ((await statementsOf(connection)) - statements) / secs,
  };
}

const shown = ({ cpu_pct, statements_per_sec }: Work) =>
  `${cpu_pct.toFixed(1)} % of a core, ${statements_per_sec.toFixed(1)} statements/s`;

it("long polls cost no statement while they wait", { timeout: 600_000 }, async () => {
  const connection = await cloneDatabase();
  const service = await serveOn(connection);
  const admin = makeClient(service.url, { "x-internal-secret": SECRETS.INTERNAL_SECRET });
  const { body: project } = await admin.post("/v1/projects", { name: "polls" });
  const { body: created } = await admin.post("/v1/api-keys", { name: "worker", project_id: project.id });
  const api = makeClient(service.url, { authorization: `Bearer ${created.key}` });
  await makeJob({ api }, { name: "Pulled", slug: "pulled", delivery: "pull", endpoint_url: null });
  const poll = (nth: number, wait_secs: number) =>
    api.post("/worker/v1/claims", { worker_id: `w${nth}`, claim_id: randomUUID(), jobs: ["pulled"], wait_secs });
  const all = (each: (nth: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: POLLS }, (_, n) => each(n)));
  await poll(0, 0);
  await pause(10_000); // what a start does
  const without = await workOf(service.pid, connection);

  const answered = all((nth) => poll(nth, WAIT_SECS));
  await pause(STATISTICS_MS);
  const waiting = await workOf(service.pid, connection);
  await answered;

  let isOver = false;
  const renewing = all(async (nth) => {
    await pause((nth / POLLS) * SDK_WAIT_SECS * 1_000); // not all at once
    while (!isOver) await poll(nth, SDK_WAIT_SECS);
  });
  await pause(WARM_UP_SECS * 1_000);
  const renewed = await workOf(service.pid, connection);
  isOver = true;
  await renewing;

  console.info(`no polls: ${shown(without)}`);
  console.info(`${POLLS} polls that wait: ${shown(waiting)}`);
  console.info(`${POLLS} polls, renewed every ${SDK_WAIT_SECS} s: ${shown(renewed)}`);
  expect(waiting.statements_per_sec - without.statements_per_sec).toBeLessThan(MAX_STATEMENTS_PER_SEC);
});

import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";

useServices();

/** A machine that cannot keep up completes fewer; what is compared is the end with the beginning. */
const SIZE = scenarioSize({
  quick: { perSec: 100, heldMs: 30_000 },
  usual: { perSec: 200, heldMs: 60_000 },
  whole: { perSec: 500, heldMs: 60_000 },
});
const WARM_UP_MS = 10_000;
const WINDOW_SECS = 10;
const WITHIN_MS = 120_000;
/** Of the runs completed in the first ten seconds, in the last ten. */
const LEAST_SHARE = 0.8;

const held: pg.Client[] = [];
afterAll(async () => void (await Promise.all(held.map((client) => client.end()))));

describe("a repeatable-read transaction that is held beside a load", () => {
  it("keeps every dead row, and runs complete at the end as fast as at the beginning", {
    timeout: 400_000,
  }, async () => {
    const harness = await openHarness({ name: "held snapshot", instances: 2 });
    const project = await harness.project();
    const endpoint_url = harness.receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }));
    const { body: job } = await project.post("/v1/jobs", { name: "Work", endpoint_url, max_attempts: 10 });
    const load = startSteadyLoad(project, [job.id], SIZE.perSec);
    await pause(WARM_UP_MS);
    const snapshot = new pg.Client(harness.connection);
    held.push(snapshot);
    await snapshot.connect();
    await snapshot.query("begin isolation level repeatable read");
    const from = (await snapshot.query<{ at: Date }>("select clock_timestamp() as at from runs limit 1")).rows[0]?.at;
    await pause(SIZE.heldMs);
    const first = await windowFrom(harness.connection, from, 0);
    const last = await windowFrom(harness.connection, from, SIZE.heldMs / 1_000 - WINDOW_SECS);
    const [dead] = await runSql<{ dead: number }>(
      harness.connection,
      "select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'run_queue'",
    );
    await snapshot.query("commit");
    await load.stop();
    await harness.settle(WITHIN_MS);
    const { history, violations } = await harness.check();
    const share = last.completed / first.completed;
    console.info(
      `${SIZE.perSec} triggers a second offered, snapshot held for ${SIZE.heldMs / 1_000} s, ${dead?.dead} dead rows in the queue: ` +
        `first 10 s ${describeWindow(first)}; last 10 s ${describeWindow(last)}; share ${share.toFixed(2)}; ` +
        `${load.acknowledged()} acknowledged triggers, ${history.runs.length} runs`,
    );
    expect(violations).toEqual({});
    expect(history.runs.length).toBe(load.acknowledged());
    expect(share).toBeGreaterThanOrEqual(LEAST_SHARE);
  });
});

type Window = { completed: number; start_p50: number; start_p99: number };

/** Runs that completed in the ten seconds that begin so many seconds after the snapshot, and how long they had waited. */
async function windowFrom(connection: TestConnection, from: Date | undefined, secs: number): Promise<Window> {
  const [row] = await runSql<Window>(
    connection,
    `select count(*)::int as completed,
       coalesce(percentile_cont(0.5) within group (order by waited), 0)::int as start_p50,
       coalesce(percentile_cont(0.99) within group (order by waited), 0)::int as start_p99
     from (
       select extract(epoch from started_at - created_at) * 1000 as waited from runs
       where finished_at >= $1::timestamptz + $2 * interval '1 second'
         and finished_at < $1::timestamptz + ($2 + ${WINDOW_SECS}) * interval '1 second' and status = 'completed'
     ) ended`,
    [from, secs],
  );
  return row ?? { completed: 0, start_p50: 0, start_p99: 0 };
}

function describeWindow({ completed, start_p50, start_p99 }: Window): string {
  return `${completed / WINDOW_SECS} completed a second, started after p50 ${start_p50} ms, p99 ${start_p99} ms`;
}

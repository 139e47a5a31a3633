import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

/** `schedules`: so many fire in each second, each once a minute. `outageSecs`: how long all instances are away. */
const SIZE = scenarioSize({
  quick: { schedules: 10, sleeps: 200, outageSecs: 20 },
  usual: { schedules: 50, sleeps: 2_000, outageSecs: 45 },
  whole: { schedules: 500, sleeps: 10_000, outageSecs: 300 },
});
const MINUTE_MS = 60_000;
const SLEEP_SECS = 20;
const WITHIN_MS = 240_000;

describe("timers on three instances", () => {
  it("fire neither early nor twice, and none is missed; after an outage they catch up", {
    timeout: 1_500_000,
  }, async () => {
    const harness = await openHarness({ name: "timers" });
    const { connection, instances, receiver } = harness;
    const project = await harness.project();
    const endpoint_url = receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }));
    const job = await makeJob({ api: project }, { endpoint_url, max_attempts: 10 });
    const steps = [{ step_ref: "sleep", type: "sleep", sleep_duration: `${SLEEP_SECS}s` }];
    const { path } = await makeWorkflow({ api: project }, { steps });
    await makeSchedules(connection, project, job.id);

    const startedAt = Date.now();
    await startSleeps(project, path, startedAt);
    await pause(Math.max(0, startedAt + MINUTE_MS + 1_000 - Date.now()));
    await until("the schedules of the minute", WITHIN_MS, () => hasFired(connection, startedAt + MINUTE_MS));
    const fires = await readFires(connection, startedAt, startedAt + MINUTE_MS);

    const awayAt = Date.now();
    await Promise.all([0, 1, 2].map((nth) => instances.kill(nth)));
    await pause(SIZE.outageSecs * 1_000);
    const backAt = Date.now();
    await Promise.all([0, 1, 2].map((nth) => instances.start(nth)));
    const readyMs = Date.now() - backAt;
    // Until then there was nobody to rescue what the killed ones held.
    for (const fault of instances.faults) fault.at = backAt + readyMs;
    await until("the schedules of the outage", WITHIN_MS, () => hasFired(connection, backAt));
    const caughtUpMs = Date.now() - backAt;
    const missed = await readFires(connection, awayAt, backAt);
    await runSql(connection, "update schedules set paused_at = clock()");
    await harness.settle(WITHIN_MS, project);
    const { history, violations } = await harness.check(project);
    const sleeps = history.waits.filter(({ wait_kind }) => wait_kind === "sleep");
    const lateness = sleeps.map(
      ({ expires_at, finished_at }) => (finished_at ?? Number.POSITIVE_INFINITY) - expires_at,
    );
    console.info(
      `${SIZE.schedules * 60} schedules, ${fires.length} fires in a minute, late by ${describeLateness(fires.map(({ late_ms }) => late_ms))}; ` +
        `${sleeps.length} sleeps, late by ${describeLateness(lateness)}; ` +
        `${SIZE.outageSecs} s without an instance: ready after ${readyMs} ms, ${missed.length} fires caught up after ${caughtUpMs} ms`,
    );
    expect(violations).toEqual({});
    expect(fires.length).toBe(SIZE.schedules * 60);
    expect(
      fires.filter(({ late_ms, reason, outcome }) => late_ms < 0 || reason !== null || outcome !== "fired"),
    ).toEqual([]);
    // Of several times that were missed the newest is fired.
    expect(await listUnfired(connection, awayAt, backAt)).toEqual([]);
    expect(await readWrongRuns(connection)).toEqual([]);
    expect([sleeps.length, lateness.filter((late) => late < 0)]).toEqual([SIZE.sleeps, []]);
  });
});

/** Copies of one, which differ in the second at which they fire. */
async function makeSchedules(connection: TestConnection, project: ProjectClient, job_id: string): Promise<void> {
  const { body } = await project.post("/v1/schedules", { job_id, cron: "0 0 29 2 *" });
  await runSql(
    connection,
    `insert into schedules select copy.* from schedules s, generate_series(0, $2::int - 1) nth,
       jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'cron', nth % 60 || ' * * * * *',
         'next_fire_at', date_trunc('minute', clock()) + nth % 60 * interval '1 second'
           + case when date_trunc('minute', clock()) + nth % 60 * interval '1 second' <= clock()
             then interval '1 minute' else interval '0' end)) copy
     where s.id = $1`,
    [body.id, SIZE.schedules * 60],
  );
}

/** Spread over a minute. */
async function startSleeps(project: ProjectClient, path: string, startedAt: number): Promise<void> {
  const calls: Promise<unknown>[] = [];
  for (let nth = 0; nth < SIZE.sleeps; nth++) {
    const dueAt = startedAt + (nth / SIZE.sleeps) * MINUTE_MS;
    if (dueAt > Date.now()) await pause(dueAt - Date.now());
    calls.push(project.insist(`${path}/trigger`, { payload: {}, idempotency_key: `sleep-${nth}` }));
  }
  await Promise.all(calls);
}

/** Whether no schedule is due that was due before. */
async function hasFired(connection: TestConnection, before: number): Promise<boolean> {
  const due = await runSql(
    connection,
    "select 1 from schedules where next_fire_at < to_timestamp($1::float8 / 1000) limit 1",
    [before],
  );
  return due.length === 0;
}

type Fire = { schedule_id: string; outcome: string; reason: string | null; late_ms: number };

function readFires(connection: TestConnection, from: number, to: number): Promise<Fire[]> {
  return runSql<Fire>(
    connection,
    `select schedule_id, outcome, reason, (extract(epoch from created_at - scheduled_for) * 1000)::float8 as late_ms
     from schedule_fires
     where scheduled_for >= to_timestamp($1::float8 / 1000) and scheduled_for < to_timestamp($2::float8 / 1000)`,
    [from, to],
  );
}

/** Schedules that had a time in that span, and did not fire for it or a later one. */
function listUnfired(connection: TestConnection, from: number, to: number): Promise<object[]> {
  return runSql(
    connection,
    `select id, cron from schedules c where cron like '% * * * * *' and exists (
       select 1 from generate_series(ceil($1::float8 / 1000)::bigint, ceil($2::float8 / 1000)::bigint - 1) s
       where s % 60 = split_part(cron, ' ', 1)::int)
     and not exists (
       select 1 from schedule_fires f where f.project_id = c.project_id and f.schedule_id = c.id and f.outcome = 'fired'
         and f.scheduled_for >= to_timestamp($1::float8 / 1000)) limit 10`,
    [from, to],
  );
}

/** A fire has one run, for its time, that was not created before; and a run of a schedule has a fire. */
function readWrongRuns(connection: TestConnection): Promise<object[]> {
  return runSql(
    connection,
    `select f.schedule_id, f.scheduled_for, r.id from schedule_fires f
     full join runs r on r.project_id = f.project_id and r.schedule_id = f.schedule_id and r.scheduled_at = f.scheduled_for
     where (r.id is null or f.schedule_id is null and r.schedule_id is not null or f.run_id <> r.id
       or r.created_at < f.scheduled_for) and (f.schedule_id is not null or r.schedule_id is not null) limit 10`,
  );
}

function describeLateness(late: readonly number[]): string {
  const sorted = late.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { countsOf, runNow, transitionsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { holdGate, makeJob } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { resolveDueTriggers } from "./resolve-due-triggers.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  await world.clock.set("2030-01-01T00:00:00Z");
});

const metric = async (name: string) => (await world.ctx.metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
const total = async (name: string) => (await metric(name)).reduce((sum, { value }) => sum + value, 0);

describe("the task resolve-due-triggers", () => {
  it("T5 an overdue wait is timed_out; its run ends timed_out without a retry, in the dead-letter queue", async () => {
    const run = await waitingRun(world, project, { timeout_secs: 60 });
    await world.clock.pass("59s");
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");

    await world.clock.pass("1s");
    await world.tick("resolve-due-triggers");
    const error = { code: "event_timeout", message: "No event arrived before the wait timed out." };
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "timed_out",
      error,
      dead_lettered_at: expect.any(Date),
      is_queued: false,
      checkpoint: null,
    });
    const [trigger] = await runSql(world.connection, "select * from event_triggers where id = $1", [run.trigger.id]);
    expect(trigger).toMatchObject({ status: "timed_out", error, payload: null, received_at: null, sent_by: null });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>timed_out event_timed_out");
    expect((await project.api.get("/v1/runs?dead_letter=true")).body.data).toMatchObject([{ id: run.run_id }]);
  });

  it("T5 starts the failure job", async () => {
    const handler = await makeJob(project, { name: "Handler" });
    const job = await makeJob(project, { on_failure_job_id: handler.id });
    const run = await waitingRun(world, project, { timeout_secs: 1 }, { job_id: job.id });
    await world.clock.pass("1s");
    await world.tick("resolve-due-triggers");
    await world.tick("run-outbox");
    const rows = await runSql<{ payload: object }>(world.connection, "select payload from runs where job_id = $1", [
      handler.id,
    ]);
    expect(rows).toMatchObject([
      { payload: { run_id: run.run_id, status: "timed_out", error: { code: "event_timeout" } } },
    ]);
  });

  it("T8 a sleep is received when its time has come, never before, and its run continues", async () => {
    const run = await runningRun(world, project);
    const { body } = await run.sdk.post("/sleep", { secs: 30 });
    const longer = await runningRun(world, project);
    await longer.sdk.post("/sleep", { secs: 31 });
    await world.clock.pass("29s");
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");
    await world.clock.pass("1s");
    await world.tick("resolve-due-triggers");
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      checkpoint: null,
      is_queued: true,
    });
    expect((await runNow(world.connection, longer.run_id)).status).toBe("waiting");
    const [trigger] = await runSql(world.connection, "select * from event_triggers where id = $1", [body.id]);
    expect(trigger).toMatchObject({ status: "received", payload: null, error: null, received_at: expect.any(Date) });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>pending resumed");
  });

  it("T5 a run with a pause request times out all the same, and a sleeping one is paused when it wakes", async () => {
    const late = await waitingRun(world, project, { timeout_secs: 10 });
    const sleeper = await runningRun(world, project);
    await sleeper.sdk.post("/sleep", { secs: 10 });
    for (const { run_id } of [late, sleeper]) await project.api.post(`/v1/runs/${run_id}/pause`);
    await world.clock.pass("10s");
    await world.tick("resolve-due-triggers");
    expect(await runNow(world.connection, late.run_id)).toMatchObject({ status: "timed_out", pause_requested: false });
    expect(await runNow(world.connection, sleeper.run_id)).toMatchObject({ status: "paused", is_queued: false });
  });

  it("T5 leaves locked rows to the next pass, without waiting", async () => {
    const [held, free] = [
      await waitingRun(world, project, { timeout_secs: 5 }),
      await waitingRun(world, project, { timeout_secs: 5 }),
    ];
    await world.clock.pass("5s");
    const gate = await holdGate(world.connection, "select 1 from event_triggers where id = $1 for update", [
      held.trigger.id,
    ]);
    await world.tick("resolve-due-triggers");
    await gate.open();
    expect((await runNow(world.connection, free.run_id)).status).toBe("timed_out");
    expect((await runNow(world.connection, held.run_id)).status).toBe("waiting");
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, held.run_id)).status).toBe("timed_out");
  });

  it("T5 a trigger whose workflow run is gone is ended like any other, and blocks no other", async () => {
    const { id } = await seedTrigger(world.connection, project.id, { workflow_run_id: newId(), timeout_secs: 5 });
    await world.clock.pass("5s");
    await world.tick("resolve-due-triggers");
    const rows = await runSql(world.connection, "select status from event_triggers where id = $1", [id]);
    expect(rows).toEqual([{ status: "timed_out" }]);
  });

  it("T5 leaves a step whose workflow run is locked to the next pass", async () => {
    const workflow_run_id = await seedWorkflowRun(world.connection, project.id);
    const { id } = await seedTrigger(world.connection, project.id, { workflow_run_id, timeout_secs: 5 });
    await world.clock.pass("5s");
    const gate = await holdGate(world.connection, "select 1 from workflow_runs where id = $1 for update", [
      workflow_run_id,
    ]);
    const statusNow = () => runSql(world.connection, "select status from event_triggers where id = $1", [id]);
    await world.tick("resolve-due-triggers");
    expect(await statusNow()).toEqual([{ status: "waiting" }]);
    await gate.open();
    await world.tick("resolve-due-triggers");
    expect(await statusNow()).toEqual([{ status: "timed_out" }]);
  });

  it("T5 counts the metric once for each, and notifies streams", async () => {
    const before = await total("event_triggers_timed_out_total");
    const run = await waitingRun(world, project, { timeout_secs: 5 });
    const received: string[] = []; // a notification without detail means that some may have been missed
    const unsubscribe = world.ctx.wakeup.onWake("event-trigger", (detail) => detail && void received.push(detail));
    await world.clock.pass("5s");
    await world.tick("resolve-due-triggers");
    await world.tick("resolve-due-triggers");
    unsubscribe();
    expect((await total("event_triggers_timed_out_total")) - before).toBe(1);
    expect(received).toEqual([`${project.id}:${run.trigger.id}`]);
  });

  it("T5 many that expire in the same second, of several projects, are ended in pages by three instances", async () => {
    const projects = [project, await world.project(), await world.project()];
    for (const { id } of projects) await manyWaits(id, 200);
    await world.clock.pass("60s");
    const others = [await world.anotherInstance(), await world.anotherInstance()];
    let passes = 0;
    const pass = async ({ ctx }: { ctx: World["ctx"] }) => {
      do passes++;
      while (await resolveDueTriggers(ctx));
    };
    await Promise.all([world, ...others].map(pass));
    const rows = await runSql(
      world.connection,
      `select t.status, r.status as run, count(*)::int as count from event_triggers t join runs r on r.id = t.job_run_id
       where t.event_key like 'mass-%' group by 1, 2 order by 1`,
    );
    expect(rows).toEqual([
      { status: "received", run: "pending", count: 300 },
      { status: "timed_out", run: "timed_out", count: 300 },
    ]);
    for (const { id } of projects) {
      const { counted, present } = await countsOf(world.connection, id);
      expect(counted).toEqual(present);
    }
    expect(await disorder(world.connection)).toEqual([]);
    // A page of 500 and a rest, and for each instance the one that is not full; the duration is measured in the benchmarks.
    expect(passes).toBeLessThanOrEqual(1 + 3);
  }, 60_000);
});

/** Waits for events and sleeps, half and half, of runs that are `waiting`. */
async function manyWaits(project_id: string, count: number): Promise<void> {
  await runSql(
    world.connection,
    `with job as (
       insert into jobs (project_id, id, slug, name, version, version_id, created_by, created_at, updated_at)
       values ($1, gen_random_uuid(), 'mass', 'Mass', 1, gen_random_uuid(), 'seed', clock(), clock())
       returning id, version_id
     ),
     version as (
       insert into job_versions (project_id, id, job_id, version, endpoint_url, host, headers, timeout_secs,
         heartbeat_timeout_secs, max_attempts, retry_strategy, created_by, created_at)
       select $1, version_id, id, 1, 'http://127.0.0.1:9/', '127.0.0.1:9', '', 300, 60, 3, 'exponential', 'seed', clock()
       from job
     ),
     given as materialized (
       select gen_random_uuid() as run_id, gen_random_uuid() as trigger_id, n, job.id as job_id, job.version_id, e.id as environment_id
       from generate_series(1, $2::int) n, job, environments e where e.project_id = $1 and e.slug = 'production'
     ),
     created as (
       insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, attempt, waits,
         max_attempts, timeout_secs, payload, created_by, trigger_type, scheduled_at, created_at, updated_at)
       select $1, run_id, job_id, version_id, environment_id, 'waiting', 'running', 3, 1, 1, 3, 300, '{}', 'seed', 'api',
         clock(), clock(), clock()
       from given
     ),
     moved as (
       insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select $1, run_id, m.nth, m.before, m.after, m.cause, 1, clock() from given,
         (values (1, null, 'pending', 'created'), (2, 'pending', 'running', 'claimed'),
           (3, 'running', 'waiting', 'waiting')) as m(nth, before, after, cause)
     ),
     triggers as (
       insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         job_run_id, ordinal, status, timeout_secs, expires_at, requested_at, created_at, updated_at)
       select $1, trigger_id, 'mass-' || run_id, environment_id, 'job_run', case when n % 2 = 0 then 'sleep' else 'event' end,
         case when n % 2 = 0 then 'sleep' else 'event' end, run_id, 1, 'waiting', 60, clock() + interval '60 s', clock(),
         clock(), clock()
       from given
     )
     insert into event_trigger_counts as c (project_id, shard, active, waiting)
     select $1, 3, count(*) filter (where n % 2 = 1), count(*) from given
     on conflict (project_id, shard) do update set active = c.active + excluded.active, waiting = c.waiting + excluded.waiting`,
    [project_id, count],
  );
}

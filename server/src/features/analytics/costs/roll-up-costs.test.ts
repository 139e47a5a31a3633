import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { recountCosts, rolledUpCosts, rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { holderOf, runningRun } from "../../../../test/seed/running-run.ts";
import { type Dispatched, seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { until } from "../../../../test/world/until.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { sumChanges } from "../../../engine/sum-changes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { run_retention_secs: 10 * 86_400 } });
  await world.clock.set("2030-06-15T12:00:00Z");
});

/** Creates this many runs over some days, with every kind of end, deterministically. */
function someRuns(jobs: Dispatched["job"][], count: number): Dispatched[] {
  const ends = ["completed", "failed", "timed_out", "canceled", "waiting"];
  return Array.from({ length: count }, (_, n) => ({
    job: jobs[n % jobs.length] as Dispatched["job"],
    at: new Date(Date.parse("2030-06-12T22:00:00Z") + n * 1_733_123).toISOString(),
    environment: n % 4 === 0 ? "staging" : "production",
    tags: { team: `t${n % 3}`, ...(n % 5 === 0 && { odd: "yes" }) },
    ...(n % 2 === 0 && { concurrency_key: `customer-${n % 7}` }),
    created_by: `key ${n % 3}`,
    dispatches: [
      ...Array.from({ length: n % 3 }, () => ({ ms: 333 * n + 7, to: "pending", cause: "retry", cost: n })),
      { ms: 1_001 * n + 1, to: ends[n % ends.length] as string, ...(n % 3 === 0 && { cost: 10 * n, model: "m" }) },
    ],
  }));
}

async function projectWithJobs(count = 2) {
  const project = await world.project();
  const jobs = [];
  for (let n = 0; n < count; n++) jobs.push(await seedJob(world.connection, project.id));
  return { project, jobs };
}

describe("the rollup of costs", () => {
  it("N7 equals a full recount by day, job and environment, and by the hour and the minute", async () => {
    const { project, jobs } = await projectWithJobs(3);
    await seedDispatched(world.connection, project.id, someRuns(jobs, 120));
    await rollUpCosts(world);
    const recount = await recountCosts(world, project.id);
    expect(recount.length).toBeGreaterThan(8);
    expect(await rolledUpCosts(world, project.id)).toEqual(recount);
    expect(await rolledUpCosts(world, project.id, "1h")).toEqual(recount);
    expect(await rolledUpCosts(world, project.id, "1m")).toEqual(recount);
  });

  it.each(["concurrency_key", "created_by", "workflow"])("N7 adds up to the same total grouped by %s", async (kind) => {
    const { project, jobs } = await projectWithJobs();
    await seedDispatched(world.connection, project.id, someRuns(jobs, 30));
    await rollUpCosts(world);
    expect(await rolledUpCosts(world, project.id, "1d", kind)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 records each dispatch once, however often and by however many instances it is processed", async () => {
    const { project, jobs } = await projectWithJobs();
    await seedDispatched(world.connection, project.id, someRuns(jobs, 20));
    const other = await world.anotherInstance();
    await Promise.all(Array.from({ length: 6 }, (_, n) => sumChanges(n % 2 === 0 ? world.ctx : other.ctx)));
    await rollUpCosts(world);
    expect(await world.tick("sum-changes")).toBe(false);
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 is exact after a crash halfway: sums and cursor are committed together", async () => {
    const { project, jobs } = await projectWithJobs();
    const runs = someRuns(jobs, 40);
    await seedDispatched(world.connection, project.id, runs.slice(0, 20));
    await rollUpCosts(world);
    await seedDispatched(world.connection, project.id, runs.slice(20));
    const blocker = new pg.Client(world.connection);
    await blocker.connect();
    await blocker.query("begin");
    await blocker.query("lock table cost_rollups in exclusive mode");
    let isKilled = false;
    // On a busy machine it may give up before the test sees it waiting; then it retries.
    const dying = (async () => {
      while (!isKilled) await sumChanges(world.ctx).catch(() => undefined);
    })();
    await until("the roll-up to wait halfway through its sums", 20_000, async () => {
      isKilled = (await killWaiting()) > 0;
      return isKilled;
    });
    await blocker.query("rollback");
    await blocker.end();
    await dying;
    await rollUpCosts(world);
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 does not advance the cursor when a sum cannot be written", async () => {
    const { project, jobs } = await projectWithJobs();
    await seedDispatched(world.connection, project.id, someRuns(jobs, 5));
    const refuse = "alter table cost_rollups add constraint refused check (starts_at < '2000-01-01') not valid";
    await runSql(world.connection, refuse);
    await expect(sumChanges(world.ctx)).rejects.toThrow("refused");
    await runSql(world.connection, "alter table cost_rollups drop constraint refused");
    expect(await rolledUpCosts(world, project.id)).toEqual([]);
    await rollUpCosts(world);
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 includes late commits and usage that is reported after its run was processed", async () => {
    const project = await world.project();
    const run = await runningRun(world, project, { timeout_secs: 7_200 });
    await run.sdk.post("/usage", { cost_microusd: 100, model: "m1" });
    await rollUpCosts(world);
    const cost = async () => (await project.api.get("/v1/analytics/costs")).body.total;
    expect(await cost()).toMatchObject({ total_microusd: 100, reported_microusd: 100, compute_microusd: 0 });
    await world.clock.pass("10s");
    await run.sdk.post("/usage", { cost_microusd: 23, model: "m2" });
    await rollUpCosts(world);
    expect(await cost()).toMatchObject({ reported_microusd: 123, compute_microusd: 0, dispatches: 0 });
    await run.sdk.post("/complete", {});
    await rollUpCosts(world);
    expect(await cost()).toMatchObject({
      total_microusd: 323,
      reported_microusd: 123,
      compute_microusd: 200,
      dispatches: 1,
    });
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 counts every attempt of a run, and none of its waiting time", async () => {
    const project = await world.project();
    const run = await runningRun(world, project, { accepted: true });
    await world.clock.pass("3s");
    expect((await run.sdk.post("/wait-for-event", { event_key: `paid-${run.run_id}` })).status).toBeLessThan(300);
    await world.clock.pass("40s");
    await project.api.post(`/v1/events/paid-${run.run_id}/send`, { payload: 1 });
    await rollUpCosts(world);
    const { total } = (await project.api.get("/v1/analytics/costs")).body;
    expect(total).toMatchObject({ wall_ms: 3_000, compute_microusd: 60, dispatches: 1 });
  });

  it("N7 prices a dispatch at the rate in effect when it ended", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: 7 });
    const job = await seedJob(world.connection, project.id);
    const run = (at: string) => ({ job, at, dispatches: [{ ms: 1_500 }] });
    await seedDispatched(world.connection, project.id, [run("2030-06-15T11:00:00Z")]);
    await world.admin.patch(`/v1/projects/${project.id}`, { compute_rate_microusd_per_sec: 1_000 });
    await seedDispatched(world.connection, project.id, [run("2030-06-15T13:00:00Z")]);
    await rollUpCosts(world);
    const [{ compute_microusd } = { compute_microusd: 0 }] = await rolledUpCosts(world, project.id);
    // 1.5 s at 7 is 10.5, rounded to 11; 1.5 s at 1,000 is 1,500.
    expect(compute_microusd).toBe(11 + 1_500);
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });

  it("N7 keeps all sums of a day when its runs are removed", async () => {
    const { project, jobs } = await projectWithJobs();
    await seedDispatched(world.connection, project.id, someRuns(jobs, 10));
    await rollUpCosts(world);
    const before = await rolledUpCosts(world, project.id);
    await runSql(world.connection, "delete from runs where project_id = $1", [project.id]);
    await runSql(world.connection, "delete from run_transitions where project_id = $1", [project.id]);
    await rollUpCosts(world);
    expect(await rolledUpCosts(world, project.id)).toEqual(before);
  });

  it("sums a thousand names per day separately and the others together: rows do not grow with runs", async () => {
    const { project, jobs } = await projectWithJobs(1);
    const runs = Array.from({ length: 1_300 }, (_, n) => ({
      job: jobs[0] as Dispatched["job"],
      at: "2030-06-15T10:00:00Z",
      concurrency_key: `k${n % 1_200}`,
    }));
    await seedDispatched(world.connection, project.id, runs);
    await rollUpCosts(world);
    await seedDispatched(world.connection, project.id, runs.slice(1_100, 1_300));
    await rollUpCosts(world);
    const rows = await runSql(
      world.connection,
      `select part, count(*)::int as rows, sum(dispatches)::int as dispatches from cost_rollups
       where project_id = $1 and kind = 'concurrency_key' group by part order by part`,
      [project.id],
    );
    expect(rows).toEqual([
      { part: "named", rows: 1_000, dispatches: 1_200 },
      { part: "other", rows: 1, dispatches: 300 },
    ]);
    expect(await rolledUpCosts(world, project.id, "1d", "concurrency_key")).toEqual(
      await recountCosts(world, project.id),
    );
  });

  it("groups runs started by runs, workflow runs and events by kind, not by id", async () => {
    const { project, jobs } = await projectWithJobs(1);
    const by = ["run", "workflow_run", "event"].flatMap((kind) =>
      [1, 2].map((n) => `${kind}:0197f1a0-0000-7000-8000-00000000000${n}`),
    );
    const runs = [...by, "run:me"].map((created_by) => ({
      ...{ job: jobs[0] as Dispatched["job"], at: "2030-06-15T10:00:00Z", created_by },
    }));
    await seedDispatched(world.connection, project.id, runs);
    await rollUpCosts(world);
    const rows = await runSql(
      world.connection,
      `select name, dispatches::int from cost_rollups where project_id = $1 and kind = 'created_by' order by name`,
      [project.id],
    );
    expect(rows).toEqual([
      { name: "event", dispatches: 2 },
      { name: "run", dispatches: 2 },
      { name: "run:me", dispatches: 1 },
      { name: "workflow_run", dispatches: 2 },
    ]);
  });

  it("spreads the busy time of a dispatch over the hours it touched", async () => {
    const { project, jobs } = await projectWithJobs(1);
    const dispatches = [{ ms: 2 * 3_600_000 }];
    await seedDispatched(world.connection, project.id, [
      { job: jobs[0] as Dispatched["job"], at: "2030-06-14T22:30:00Z", dispatches },
    ]);
    await rollUpCosts(world);
    const rows = await runSql(
      world.connection,
      `select grain, to_char(starts_at at time zone 'UTC', 'DD HH24') as at, sum(busy_ms)::int / 60000 as minutes,
         sum(wall_ms)::int / 60000 as wall from cost_rollups
       where project_id = $1 and kind = 'job' and grain in ('1h', '1d') group by 1, 2 order by 1, 2`,
      [project.id],
    );
    expect(rows).toEqual([
      { grain: "1d", at: "14 00", minutes: 90, wall: 0 },
      { grain: "1d", at: "15 00", minutes: 30, wall: 120 },
      { grain: "1h", at: "14 22", minutes: 30, wall: 0 },
      { grain: "1h", at: "14 23", minutes: 60, wall: 0 },
      { grain: "1h", at: "15 00", minutes: 30, wall: 120 },
    ]);
  });

  it("N7 records dispatches, retries and reported usage of the engine itself", async () => {
    const project = await world.project();
    const endpoint = (await jobEndpoint()).respondWith(500, { status: 202 });
    const job = (
      await project.api.post("/v1/jobs", { name: "Real", endpoint_url: endpoint.url, retry_strategy: "fixed" })
    ).body;
    const { body } = await project.api.post(`/v1/jobs/${job.id}/trigger`, { payload: {} });
    await world.runUntilIdle();
    await world.clock.pass("5s");
    await world.runUntilIdle();
    const held = await holderOf(world, body.id);
    await held.sdk.post("/usage", { cost_microusd: 55, provider: "p", model: "m" });
    await world.clock.pass("4s");
    await held.sdk.post("/complete", {});
    await rollUpCosts(world);
    const costs = (await project.api.get("/v1/analytics/costs")).body;
    expect(costs.total).toMatchObject({
      total_microusd: 135,
      reported_microusd: 55,
      compute_microusd: 80,
      dispatches: 2,
    });
    while (await world.tick("sum-changes"));
    const usage = (await project.api.get("/v1/usage/current")).body;
    expect(usage).toMatchObject({ reported_microusd: 55, compute_microusd: 80 });
    expect(await rolledUpCosts(world, project.id)).toEqual(await recountCosts(world, project.id));
  });
});

/** Ends the sessions that wait for a lock, as a crash would; returns how many there were. */
async function killWaiting(): Promise<number> {
  const rows = await runSql(
    world.connection,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%cost_rollups%'`,
  );
  return rows.length;
}

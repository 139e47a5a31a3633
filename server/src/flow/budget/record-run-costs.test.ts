import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { claimOne, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import type { Outcome } from "../runs/dispatch/outcome.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
});

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "x", message: "y" } };

async function dispatch(job: TestJob, takes: string, outcome: Outcome): Promise<void> {
  const run = await claimOne(world.ctx, job);
  await world.clock.pass(takes);
  expect(await settleRuns(world.ctx, [{ run, outcome }])).toEqual([true]);
}

async function recorded({ id, project_id }: TestJob) {
  while (await world.tick("sum-changes"));
  const of = (columns: string, table: string, key: string, value: string) =>
    runSql(world.connection, `select ${columns} from ${table} where ${key} = $1`, [value]);
  const [usage] = await of(
    "dispatches::int, compute_ms::int, compute_microusd::int",
    "usage_periods",
    "project_id",
    project_id,
  );
  const [costs] = await of("recent::int[], p95_microusd::int", "job_costs", "job_id", id);
  return { usage, costs };
}

/** Ten micro-USD a second. */
async function expensiveJob(fields: object = {}): Promise<TestJob> {
  const project = await world.project({ compute_rate_microusd_per_sec: 10 });
  return makeJob(project, { retry_strategy: "custom", retry_delays_secs: [0], ...fields });
}

describe("recording transitions of the log", () => {
  it("counts each dispatch from its own claim to its end: the second does not begin with the first", async () => {
    await world.clock.set("2035-01-10T00:00:00Z");
    const job = await expensiveJob();
    await fillQueue(world.ctx, job, 1);
    await dispatch(job, "3s", FAILED);
    await world.clock.pass("40s");
    await dispatch(job, "2s", COMPLETED);
    const { usage, costs } = await recorded(job);
    expect(usage).toEqual({ dispatches: 2, compute_ms: 5_000, compute_microusd: 50 });
    expect(costs).toEqual({ recent: [50], p95_microusd: 50 });
  });

  it("counts for the job what a run cost that was canceled between its dispatches", async () => {
    await world.clock.set("2035-04-10T00:00:00Z");
    const project = await world.project({ compute_rate_microusd_per_sec: 10 });
    const job = await makeJob(project, { retry_strategy: "custom", retry_delays_secs: [3_600] });
    await fillQueue(world.ctx, job, 1);
    await dispatch(job, "3s", FAILED);
    const { body } = await project.api.get("/v1/runs");
    expect((await project.api.post(`/v1/runs/${body.data[0].id}/cancel`, {})).status).toBe(200);
    const { usage, costs } = await recorded(job);
    expect(usage).toEqual({ dispatches: 1, compute_ms: 3_000, compute_microusd: 30 });
    expect(costs).toEqual({ recent: [30], p95_microusd: 30 });
  });

  it("records a dispatch from the transition log when its run is gone, without counting it for the job", async () => {
    await world.clock.set("2035-02-10T00:00:00Z");
    const job = await expensiveJob();
    await fillQueue(world.ctx, job, 1);
    await dispatch(job, "4s", COMPLETED);
    await runSql(world.connection, "delete from runs where job_id = $1", [job.id]);
    const { usage, costs } = await recorded(job);
    expect(usage).toEqual({ dispatches: 1, compute_ms: 4_000, compute_microusd: 40 });
    expect(costs).toBe(undefined);
  });

  it("keeps the last hundred runs of a job, in order, however many end at once", async () => {
    await world.clock.set("2035-03-10T00:00:00Z");
    const job = await expensiveJob();
    await fillQueue(world.ctx, job, 7);
    await dispatch(job, "1s", COMPLETED);
    await recorded(job);
    // As if 98 had ended: they cost 10, 20 … 980.
    const recent = Array.from({ length: 98 }, (_, nth) => (nth + 1) * 10);
    await runSql(world.connection, "update job_costs set recent = $2 where job_id = $1", [job.id, recent]);
    for (let nth = 99; nth <= 104; nth++) await dispatch(job, `${nth}s`, COMPLETED);
    const { usage, costs } = await recorded(job);
    expect(usage?.dispatches).toBe(7);
    expect(costs?.recent).toEqual(Array.from({ length: 100 }, (_, nth) => (nth + 5) * 10));
    await fillQueue(world.ctx, job, 1);
    await dispatch(job, "1s", COMPLETED);
    const after = await recorded(job);
    expect(after.costs?.recent).toEqual([...Array.from({ length: 99 }, (_, nth) => (nth + 6) * 10), 10]);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { testWorker } from "../../../test/world/test-worker.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import { reconcileQueue } from "../runs/maintain/reconcile-queue.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";
import { lapseGrants } from "./lapse-grants.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

let nth = 0;
async function makeQueue(fields: object): Promise<string> {
  const { body, status, text } = await project.api.post("/v1/queues", { name: `limited-${nth++}`, ...fields });
  expect(status, text).toBe(201);
  return body.name;
}

const reasonOf = async (run_id: string | undefined) => {
  const [row] = await runSql<{ blocked_on: string | null }>(
    world.connection,
    "select blocked_on from run_queue where run_id = $1",
    [run_id],
  );
  return row?.blocked_on;
};

const settle = (...runs: ClaimedRun[]) =>
  settleRuns(
    world.ctx,
    runs.map((run) => ({ run, outcome: { kind: "completed", result_json: "null" } })),
  );

const codesOf = async (run_id: string | undefined) => {
  const { body } = await project.api.get(`/v1/runs/${run_id}/explain`);
  return body.blockers.flatMap(({ code }: { code: string }) => (code === "no_engine" ? [] : [code]));
};

describe("a queue's max_concurrency", () => {
  it("R20 holds over all its jobs, and a release starts the first run of any of them", async () => {
    const queue = await makeQueue({ max_concurrency: 2 });
    const [one, other] = [await makeJob(project, { queue }), await makeJob(project, { queue })];
    const [first] = await fillQueue(world.ctx, one, 1);
    const [second, third] = await fillQueue(world.ctx, other, 2);
    const running = [...(await claimSome(world.ctx, one, 5)), ...(await claimSome(world.ctx, other, 5))];
    expect(running.map((run) => run.run_id)).toEqual([first, second]);
    expect(running.map((run) => run.slots)).toEqual([[`queue:${queue}`], [`queue:${queue}`]]);
    expect([await reasonOf(third), await codesOf(third)]).toEqual([`queue:${queue}`, ["queue_concurrency"]]);
    await settle(running[0] as ClaimedRun);
    expect((await claimSome(world.ctx, other, 5)).map((run) => run.run_id)).toEqual([third]);
  });

  it("R20 composes with the limits of a job: a run that its job refuses does not hold up other jobs", async () => {
    const queue = await makeQueue({ max_concurrency: 2 });
    const narrow = await makeJob(project, { queue, max_concurrency: 1 });
    const wide = await makeJob(project, { queue });
    const [, waiting] = await fillQueue(world.ctx, narrow, 2);
    const [free] = await fillQueue(world.ctx, wide, 1);
    const [running] = await claimSome(world.ctx, narrow, 5);
    expect(await reasonOf(waiting)).toBe(`job:${narrow.id}`);
    expect((await claimSome(world.ctx, wide, 5)).map((run) => run.run_id)).toEqual([free]);
    await settle(running as ClaimedRun);
    expect((await claimSome(world.ctx, narrow, 5)).map((run) => run.run_id)).toEqual([waiting]);
  });

  it("a newcomer of one job does not overtake a waiting run of another", async () => {
    const queue = await makeQueue({ max_concurrency: 1 });
    const [one, other] = [await makeJob(project, { queue }), await makeJob(project, { queue })];
    await fillQueue(world.ctx, one, 1);
    const [running] = await claimSome(world.ctx, one, 5);
    const [waiting] = await fillQueue(world.ctx, one, 1);
    await claimSome(world.ctx, one, 5);
    await settle(running as ClaimedRun);
    const [newcomer] = await fillQueue(world.ctx, other, [{ priority: 10 }]);
    expect(await claimSome(world.ctx, other, 5)).toEqual([]);
    expect(await reasonOf(newcomer)).toBe(`queue:${queue}`);
    expect((await claimSome(world.ctx, one, 5)).map((run) => run.run_id)).toEqual([waiting]);
  });

  it("counts runs that were active when it was set; raising it unblocks at once", async () => {
    const queue = await makeQueue({});
    const job = await makeJob(project, { queue });
    await fillQueue(world.ctx, job, 2);
    await claimSome(world.ctx, job, 1);
    await project.api.patch(`/v1/queues/${queue}`, { max_concurrency: 1 });
    expect(await claimSome(world.ctx, job, 5)).toEqual([]);
    await project.api.patch(`/v1/queues/${queue}`, { max_concurrency: 2 });
    expect(await claimSome(world.ctx, job, 5)).toHaveLength(1);
    const [row] = await runSql(world.connection, "select active from concurrency_counters where key = $1", [
      `queue:${queue}`,
    ]);
    expect(row).toEqual({ active: 2 });
    await reconcileQueue(world.ctx);
    expect(
      await runSql(world.connection, "select active from concurrency_counters where key = $1", [`queue:${queue}`]),
    ).toEqual([row]);
  });
});

describe("a slot of a queue that was granted to a run which does not start", () => {
  /** The slot of a queue is granted to the first run of a job; then one of another job waits for it. */
  async function grantTo(one: TestJob, queue: string, claim: () => Promise<unknown>) {
    const other = await makeJob(project, { queue });
    await fillQueue(world.ctx, other, 1);
    const [running] = await claimSome(world.ctx, other, 5);
    const granted = await fillQueue(world.ctx, one, 2);
    await claim();
    const [waiting] = await fillQueue(world.ctx, other, 1);
    await claimSome(world.ctx, other, 5);
    await settle(running as ClaimedRun);
    expect(await claimSome(world.ctx, other, 5)).toEqual([]);
    return { other, granted, waiting };
  }

  it("goes to another job when the job is paused", async () => {
    const queue = await makeQueue({ max_concurrency: 1 });
    const job = await makeJob(project, { queue });
    const { other, waiting } = await grantTo(job, queue, () => claimSome(world.ctx, job, 5));
    await project.api.post(`${job.path}/pause`);
    expect((await claimSome(world.ctx, other, 5)).map((run) => run.run_id)).toEqual([waiting]);
  });

  it("goes to another job when no worker claims it, and the runs without a worker start when one comes", async () => {
    const queue = await makeQueue({ max_concurrency: 1 });
    const { body } = await project.api.post("/v1/jobs", { name: "Pulled", delivery: "pull", queue });
    const job = { id: body.id, project_id: body.project_id, host: "", path: `/v1/jobs/${body.id}` };
    const worker = testWorker(project.api);
    const claim = async () => (await worker.claim({ jobs: [job.id] })).map(({ run_id }: { run_id: string }) => run_id);
    const { other, granted, waiting } = await grantTo(job, queue, claim);
    await world.clock.pass("16s");
    await reconcileQueue(world.ctx);
    const started = await claimSome(world.ctx, other, 5);
    expect(started.map((run) => run.run_id)).toEqual([waiting]);
    expect(await claim()).toEqual([]);
    await settle(...started);
    expect(await claim()).toEqual([granted[0]]);
  });
});

describe("a slot granted to runs that no worker claims", () => {
  it("reaches another job behind them after several passes, each with a limited number of batches per project", async () => {
    const queue = await makeQueue({ max_concurrency: 1 });
    const { body } = await project.api.post("/v1/jobs", { name: "Pulled", delivery: "pull", queue });
    const pulled = { id: body.id, project_id: body.project_id, host: "", path: "" };
    const [granted] = await fillQueue(world.ctx, pulled, 60);
    const other = await makeJob(project, { queue });
    const [waiting] = await fillQueue(world.ctx, other, 1);
    await runSql(
      world.connection,
      `update run_queue set blocked_on = case when run_id <> $1 then $2 end, granted_by = case when run_id = $1 then $2 end,
         released_at = clock() where job_id = any($3)`,
      [granted, `queue:${queue}`, [pulled.id, other.id]],
    );
    const pass = async () => {
      await world.clock.pass("16s");
      await lapseGrants(world.ctx, 1);
    };

    await pass();
    expect(await reasonOf(waiting)).toBe(`queue:${queue}`);
    await pass();
    await pass();
    expect(await reasonOf(waiting)).toBe(null);
  });
});

describe("a queue's rate limit", () => {
  it("R20 counts the starts of all its jobs, and releases them when the window has room", async () => {
    const queue = await makeQueue({ rate_limit_max: 2, rate_limit_window_secs: 10 });
    const [one, other] = [await makeJob(project, { queue }), await makeJob(project, { queue })];
    await fillQueue(world.ctx, one, 2);
    const [late] = await fillQueue(world.ctx, other, 1);
    expect(await claimSome(world.ctx, one, 5)).toHaveLength(2);
    expect(await claimSome(world.ctx, other, 5)).toEqual([]);
    expect([await reasonOf(late), await codesOf(late)]).toEqual([`queue_rate:${queue}`, ["queue_rate_limit"]]);
    await world.clock.pass("11s");
    await world.tick("release-rate-limits");
    expect((await claimSome(world.ctx, other, 5)).map((run) => run.run_id)).toEqual([late]);
  });
});

describe("a paused queue", () => {
  it("R20 starts no run of its jobs until it is resumed, and explain says so", async () => {
    const queue = await makeQueue({});
    const job = await makeJob(project, { queue });
    const [before] = await fillQueue(world.ctx, job, 1);
    await project.api.post(`/v1/queues/${queue}/pause`);
    const [after] = await fillQueue(world.ctx, job, 1);
    expect(await codesOf(after)).toEqual(["paused_queue"]);
    expect(await claimSome(world.ctx, job, 5)).toEqual([]);
    expect([await reasonOf(before), await reasonOf(after)]).toEqual([`paused_queue:${queue}`, `paused_queue:${queue}`]);
    await project.api.post(`/v1/queues/${queue}/resume`);
    expect((await claimSome(world.ctx, job, 5)).map((run) => run.run_id)).toEqual([before, after]);
  });
});

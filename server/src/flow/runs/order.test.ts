import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimOne, claimSome, fillQueue, makeJob, type TestJob } from "../../../test/world/queue-world.ts";
import { sizeOf } from "../../../test/world/size.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import type { ClaimedRun } from "./claim/claimed-run.ts";
import { settleRuns } from "./settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

/** Claims and completes until nothing is queued; returns the order of the starts. */
async function drain(job: TestJob, share = 10): Promise<string[]> {
  const order: string[] = [];
  for (let empty = 0; empty < 2; ) {
    // One empty claim does not mean an empty queue: it may only have found runs ahead of those it saw.
    const claimed = await claimSome(world.ctx, job, share);
    empty = claimed.length === 0 ? empty + 1 : 0;
    order.push(...claimed.map((run) => run.run_id));
    for (const run of claimed) await complete(run);
  }
  return order;
}

describe("runs that wait for a limit", () => {
  it("start in order of rank, and no newcomer that arrives the moment the slot is freed overtakes them", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    for (let round = 0; round < sizeOf(1, 30); round++) {
      const [zero] = await fillQueue(world.ctx, job, 1);
      const holder = await claimOne(world.ctx, job);
      const [one, two, three] = await fillQueue(world.ctx, job, [{}, {}, { priority: 10 }]);
      expect(await claimSome(world.ctx, job, 10)).toEqual([]);
      const [[four]] = await Promise.all([fillQueue(world.ctx, job, [{ priority: -5 }]), complete(holder)]);
      expect([zero, ...(await drain(job))]).toEqual([zero, three, one, two, four]);
    }
  });

  it("precede a newcomer with the best rank of all once they are released for the slot", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(world.ctx, job, 1);
    const holder = await claimOne(world.ctx, job);
    const [waiting] = await fillQueue(world.ctx, job, 1);
    await claimSome(world.ctx, job, 10);
    await complete(holder);
    const [urgent] = await fillQueue(world.ctx, job, [{ priority: 100 }]);
    expect(await drain(job, 1)).toEqual([waiting, urgent]);
  });

  it("keep their order under a rate limit, whatever arrives meanwhile", async () => {
    const job = await makeJob(project, { rate_limit_max: 2, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 2);
    await claimSome(world.ctx, job, 10);
    const urgent = await fillQueue(world.ctx, job, Array(8).fill({ priority: 50 }));
    const order: string[] = [];
    for (let minute = 0; minute < 5; minute++) {
      await fillQueue(world.ctx, job, 4);
      order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
      await world.clock.pass("62s");
      await fillQueue(world.ctx, job, 1);
      order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
      await world.tick("release-rate-limits");
    }
    order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
    expect(order.slice(0, 8)).toEqual(urgent);
  });

  it("of one concurrency key start first in, first out, per priority", async () => {
    const job = await makeJob(project, { max_concurrency_per_key: 1 });
    const runs = await fillQueue(world.ctx, job, Array(4).fill({ concurrency_key: "k" }));
    const holder = await claimOne(world.ctx, job);
    expect(holder.run_id).toBe(runs[0]);
    await claimSome(world.ctx, job, 10);
    const later = await fillQueue(world.ctx, job, [{ concurrency_key: "k" }, { concurrency_key: "k", priority: 3 }]);
    await complete(holder);
    expect(await drain(job)).toEqual([runs[1], later[1], runs[2], runs[3], later[0]]);
  });

  it("wake the next one when canceled, paused or postponed after their release", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const verbs = [
      (id: string) => project.api.post(`/v1/runs/${id}/cancel`),
      (id: string) => project.api.post(`/v1/runs/${id}/pause`),
      (id: string) => project.api.patch(`/v1/runs/${id}`, { scheduled_at: "2100-01-01T00:00:00Z" }),
    ];
    for (const verb of verbs) {
      await fillQueue(world.ctx, job, 1);
      const holder = await claimOne(world.ctx, job);
      const [first, second] = await fillQueue(world.ctx, job, 2);
      await claimSome(world.ctx, job, 10);
      await complete(holder);
      expect((await verb(first ?? "")).status).toBe(200);
      expect(await drain(job)).toEqual([second]);
    }
  });
});

it("a run of a paused workflow run gets its position back on resume, before later ones", async () => {
  const job = await makeJob(project, { max_concurrency: 1 });
  const { body: workflow } = await project.api.post("/v1/workflows", {
    name: "Paused",
    steps: [{ step_ref: "a", job_id: job.id }],
  });
  await fillQueue(world.ctx, job, 1);
  const holder = await claimOne(world.ctx, job);
  const { body: run } = await project.api.post(`/v1/workflows/${workflow.id}/trigger`, {});
  await project.api.post(`/v1/workflow-runs/${run.id}/pause`);
  const [later] = await fillQueue(world.ctx, job, 1);
  await claimSome(world.ctx, job, 10);
  await project.api.post(`/v1/workflow-runs/${run.id}/resume`);
  await complete(holder);
  const [first, second] = await drain(job);
  expect(second).toBe(later);
  expect((await project.api.get(`/v1/runs/${first}`)).body.workflow_run_id).toBe(run.id);
});

it.each(["resume", "rate"])(
  "a run behind one that a %s has released is released when that one is canceled",
  async (by) => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const [first] = await fillQueue(world.ctx, job, 1);
    const granted_by = by === "rate" ? `rate:${job.id}::` : by;
    await runSql(world.connection, "update run_queue set granted_by = $2 where run_id = $1", [first, granted_by]);
    const [behind] = await fillQueue(world.ctx, job, [{ priority: 1 }]);
    // It precedes the other in the queue, and is claimed alone.
    expect(await claimSome(world.ctx, job, 1)).toEqual([]);
    await project.api.post(`/v1/runs/${first}/cancel`);
    expect((await claimSome(world.ctx, job, 1)).map((run) => run.run_id)).toEqual([behind]);
  },
);

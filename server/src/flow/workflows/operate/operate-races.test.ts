import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { rounds } from "../../../../test/world/rounds.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  return { project, bench, post: (path: string) => project.api.post(`/v1/workflow-runs/${path}`, {}) };
}

const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status).toSorted();

/** Every run of a step, however it ended: at most one for each generation. */
const runsOf = (id: string) =>
  runSql<{ step_ref: string; step_generation: number; status: string }>(
    world.connection,
    "select step_ref, step_generation, status from runs where workflow_run_id = $1 order by step_ref, step_generation",
    [id],
  );

const liveRunsOf = async (id: string) =>
  (await runsOf(id)).filter(({ status }) => status !== "completed" && status !== "canceled");

describe("concurrent operations on a workflow run", () => {
  it("four concurrent retries of a step reset it once", async () => {
    const { bench, post } = await aBench();
    let fails = true;
    bench.onDispatch("a", () => (fails ? { status: 422 } : undefined));
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    fails = false;
    holdStep(bench, "a");
    const responses = await Promise.all([1, 2, 3, 4].map(() => post(`${run.id}/steps/a/retry`)));
    expect(statusesOf(responses)).toEqual([200, 409, 409, 409]);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.a).toMatchObject({ status: "running", generation: 2 });
    expect(await runsOf(run.id)).toHaveLength(2);
  });

  it("four concurrent retries of a workflow run retry it once", async () => {
    const { bench, post } = await aBench();
    let fails = true;
    bench.onDispatch("a", () => (fails ? { status: 422 } : { status: 202 }));
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }]));
    fails = false;
    const responses = await Promise.all([1, 2, 3, 4].map(() => post(`${run.id}/retry`)));
    expect(statusesOf(responses)).toEqual([200, 409, 409, 409]);
    await world.runUntilIdle();
    expect(await runsOf(run.id)).toHaveLength(2);
  });

  it("a cancel with the end of a step: the run ends canceled, and nothing is left running", async () => {
    const { bench, post } = await aBench();
    holdStep(bench, "a");
    const workflow = await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]);
    for (let round = 0; round < sizeOf(2, 30); round++) {
      const { run } = await bench.run(workflow);
      const [canceled] = await Promise.all([post(`${run.id}/cancel`), finishStep(world, bench, "a")]);
      await world.runUntilIdle();
      const after = await bench.read(run.id);
      expect([canceled.status, after.run.status, after.statuses.b]).toEqual([200, "canceled", "canceled"]);
      expect(await liveRunsOf(run.id)).toEqual([]);
    }
  });

  it("cancel, pause, resume, retry and replay leave a run that can still reach its end", async () => {
    const { bench, post } = await aBench();
    const steps = [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }, { step_ref: "c", depends_on: ["b"] }];
    const workflow = await bench.save(steps);
    const verbs = ["cancel", "pause", "resume", "retry", "steps/a/replay-subtree", "steps/b/skip", "resume"];
    for (let round = 0; round < rounds(2); round++) {
      const id = await bench.start(workflow);
      const responses = await Promise.all(verbs.map((verb) => post(`${id}/${verb}`)));
      for (const { status } of responses) expect([200, 409]).toContain(status);
      for (const verb of ["resume", "retry"]) {
        await post(`${id}/${verb}`);
        await world.runUntilIdle();
      }
      const { run, statuses } = await bench.read(id);
      expect(run.status).toBe("completed");
      expect(Object.values(statuses).filter((status) => status !== "completed" && status !== "skipped")).toEqual([]);
      expect(await liveRunsOf(id)).toEqual([]);
    }
  });

  it("an approval with the timeout of the wait: one of them decides both trigger and step", async () => {
    const own = await makeFlowWorld();
    const project = await own.project();
    const bench = await workflowBench(own, project);
    const workflow = await bench.save([{ step_ref: "ok", type: "approval", timeout_secs: 60 }]);
    await own.clock.set("2030-01-01T00:00:00Z");
    const ids: string[] = [];
    for (let nth = 0; nth < 4; nth++) ids.push(await bench.start(workflow));
    await own.clock.pass("61s");
    const [responses] = await Promise.all([
      Promise.all(ids.map((id) => project.api.post(`/v1/workflow-runs/${id}/steps/ok/approve`, {}))),
      own.runUntilIdle(),
    ]);
    await own.runUntilIdle();
    for (const [nth, id] of ids.entries()) {
      const { run, statuses } = await bench.read(id);
      const [trigger] = await runSql(own.connection, "select status from event_triggers where workflow_run_id = $1", [
        id,
      ]);
      const outcome = [responses[nth]?.status, trigger?.status, statuses.ok, run.status];
      const isApproved = responses[nth]?.status === 200;
      expect(outcome).toEqual(
        isApproved ? [200, "received", "completed", "completed"] : [409, "timed_out", "failed", "failed"],
      );
    }
  });
});

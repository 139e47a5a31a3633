import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  bench = await workflowBench(world, project);
});

async function shadow(workflow_id: string, body: object = {}) {
  const response = await project.api.post(`/v1/workflows/${workflow_id}/shadow`, body);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const failing = () => ({ status: 400, body: { error: "no" } });

describe("a shadow of runs executed by the engine", () => {
  it("shows no difference against their own version: with branches, failing templates, and failures that continue", async () => {
    bench.onDispatch("broken", failing);
    const id = await bench.save([
      { step_ref: "first" },
      { step_ref: "large", depends_on: ["first"], condition: "payload.total > 10" },
      {
        step_ref: "text",
        depends_on: ["first"],
        payload: { of: "{{payload.nothing}}" },
        on_failure: "skip_dependents",
      },
      { step_ref: "after", depends_on: ["text"] },
      { step_ref: "broken", depends_on: ["first"], on_failure: "continue" },
      { step_ref: "last", depends_on: ["large", "broken"], condition: 'parent_outputs.first.step == "first"' },
    ]);
    for (const total of [5, 50]) await bench.run(id, { payload: { total } });
    expect(await shadow(id)).toMatchObject({ runs: 2, differing: 0, steps: [], duration: { change_ms: 0 } });
  });

  it("shows none for runs that failed, were canceled, timed out or had a step skipped manually", async () => {
    bench.onDispatch("fatal", failing);
    holdStep(bench, "slow");
    // The runs time out when the test says so, and not before.
    await world.clock.set(await world.clock.now());
    const id = await bench.save(
      [
        { step_ref: "slow" },
        { step_ref: "gate", type: "approval", condition: "payload.gate" },
        { step_ref: "fatal", depends_on: ["gate"] },
        { step_ref: "then", depends_on: ["slow"] },
      ],
      { timeout_secs: 30 },
    );
    await bench.run(id, { payload: { gate: false } });
    const canceled = await bench.run(id, { payload: { gate: true } });
    await project.api.post(`/v1/workflow-runs/${canceled.run.id}/cancel`, {});
    const skipped = await bench.run(id, { payload: { gate: true } });
    await project.api.post(`/v1/workflow-runs/${skipped.run.id}/steps/fatal/skip`, {});
    await project.api.post(`/v1/workflow-runs/${skipped.run.id}/steps/gate/approve`, {});
    await finishStep(world, bench, "slow");
    await bench.run(id, { payload: { gate: true } });
    await world.clock.pass("31s");
    await world.runUntilIdle();
    const { body } = await project.api.get(`/v1/workflow-runs?workflow_id=${id}`);
    const statuses = body.data.map((each: { status: string }) => each.status).toSorted();
    expect(statuses).toEqual(["canceled", "completed", "failed", "timed_out"]);
    const report = await shadow(id);
    expect(report.results).toEqual([]);
    expect(report).toMatchObject({ runs: 4, differing: 0 });
  });

  it("dispatches nothing", async () => {
    const id = await bench.save([{ step_ref: "only" }]);
    await bench.run(id);
    const before = bench.refs().length;
    const steps = ["only", "more"].map((step_ref) => ({ step_ref, job_id: bench.job_id }));
    expect(await shadow(id, { steps })).toMatchObject({ counts: { step_added: 1 } });
    await world.runUntilIdle();
    expect(bench.refs()).toHaveLength(before);
  });
});

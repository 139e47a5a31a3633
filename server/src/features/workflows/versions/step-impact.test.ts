import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const STEPS = [
  { step_ref: "fetch" },
  { step_ref: "score", depends_on: ["fetch"], on_failure: "skip_dependents" },
  { step_ref: "tell", depends_on: ["score"] },
];

describe("the steps in the impact of a version", () => {
  it("W9 shows for each step how many runs reached it, its outcomes, and its durations", async () => {
    const bench = await workflowBench(world, project);
    const workflow_id = await bench.save(STEPS);
    bench.onDispatch("score", ({ body }) => (body.payload.bad ? { status: 400, body: { error: "no" } } : undefined));
    for (const bad of [false, false, true]) await bench.run(workflow_id, { payload: { bad } });
    const { body: workflow } = await project.api.get(`/v1/workflows/${workflow_id}`);
    const path = `/v1/workflows/${workflow_id}/versions/${workflow.version_id}/impact`;
    const { status, body } = await project.api.get(path);
    expect([status, body.steps_of_runs]).toEqual([200, 3]);
    const counts = body.steps.map((step: Record<string, unknown>) => [
      step.step_ref,
      step.reached,
      step.completed,
      step.failed,
      step.skipped,
    ]);
    expect(counts).toEqual([
      ["fetch", 3, 3, 0, 0],
      ["score", 3, 2, 1, 0],
      ["tell", 2, 2, 0, 1],
    ]);
    const { p5_ms, p25_ms, p50_ms, p75_ms, p95_ms } = body.steps[0].durations;
    const rising = [p5_ms, p25_ms, p50_ms, p75_ms, p95_ms];
    expect(rising).toEqual(rising.toSorted((a: number, b: number) => a - b));
    const bound = await project.newKey({
      environment_id: (await project.api.get("/v1/environments/staging")).body.id,
    });
    expect((await bound.api.get(path)).body).toMatchObject({ steps_of_runs: 0, steps: [] });
  });

  it("W9 distinguishes a step that waits in one run from one that was canceled before it was reached in another", async () => {
    const bench = await workflowBench(world, project, { name: "Waits" });
    const steps = [
      { step_ref: "fetch" },
      { step_ref: "ask", type: "wait_for_event", depends_on: ["fetch"], event_key: "go:{{payload.n}}" },
    ];
    const id = await bench.save(steps, { name: "Asks" });
    bench.onDispatch("fetch", ({ body }) => (body.payload.bad ? { status: 400, body: { error: "no" } } : undefined));
    for (const payload of [{ n: 1 }, { n: 2, bad: true }]) await bench.run(id, { payload });
    const { body: workflow } = await project.api.get(`/v1/workflows/${id}`);
    const { body } = await project.api.get(`/v1/workflows/${id}/versions/${workflow.version_id}/impact`);
    expect(body.steps[1]).toMatchObject({ step_ref: "ask", reached: 1, completed: 0, failed: 0, open: 1, canceled: 1 });
  });

  it("W9 is empty for a version that never ran", async () => {
    const bench = await workflowBench(world, project, { name: "Other" });
    const id = await bench.save([{ step_ref: "one" }], { name: "Never ran" });
    const { body: workflow } = await project.api.get(`/v1/workflows/${id}`);
    const { body } = await project.api.get(`/v1/workflows/${id}/versions/${workflow.version_id}/impact`);
    expect([body.steps_of_runs, body.steps]).toEqual([0, []]);
  });
});

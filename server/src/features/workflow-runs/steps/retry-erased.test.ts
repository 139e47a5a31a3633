import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { eraseData } from "../../../../test/world/erase-data.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  project = await world.project();
  bench = await workflowBench(world, project);
  bench.onDispatch("b", () => ({ status: 422 }));
});

/** A run that failed at `b`, and whose data was deleted. */
async function erasedRun() {
  const steps = [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }, { step_ref: "c", depends_on: ["b"] }];
  const ran = await bench.run(await bench.save(steps), { payload: { order: 7 } });
  expect(ran.run.status).toBe("failed");
  await eraseData(project, `/v1/workflow-runs/${ran.run.id}`);
  return bench.read(ran.run.id);
}

describe("a workflow run whose data was deleted", () => {
  it("cannot be continued by a retry, a replay or a skip: 409, and it stays unchanged", async () => {
    const before = await erasedRun();
    const path = `/v1/workflow-runs/${before.run.id}`;
    for (const verb of ["retry", "steps/b/retry", "steps/a/retry", "steps/a/replay-subtree", "steps/b/skip"]) {
      const { status, body } = await project.api.post(`${path}/${verb}`, verb.endsWith("skip") ? {} : undefined);
      expect([verb, status, body.code]).toEqual([verb, 409, "data_deleted"]);
    }
    await world.runUntilIdle();
    expect(await bench.read(before.run.id)).toEqual(before);
    expect(bench.refs()).toEqual(["a", "b"]);
  });

  it("keeps its step's dead letter, whose bulk replay fails with that reason", async () => {
    const { steps } = await erasedRun();
    const { id } = (await project.api.post("/v1/runs/bulk-dlq-replay", { filter: {} })).body;
    while (await world.tick("work-on-batches"));
    const items = (await project.api.get(`/v1/batch-operations/${id}/items`)).body.data;
    expect(items).toMatchObject([{ target_id: steps.b.run_id, status: "failed", error: { code: "data_deleted" } }]);
    expect((await project.api.get("/v1/runs?dead_letter=true")).body.data).toHaveLength(1);
  });
});

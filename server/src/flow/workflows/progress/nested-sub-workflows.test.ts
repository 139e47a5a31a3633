import { beforeAll, describe, expect, it } from "vitest";
import { childrenOf, sub, workflowRunStatus } from "../../../../test/costs/map-bench.ts";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

/** A child that waits for an event, below a parent, below a grandparent. */
async function family(bench: WorkflowBench, project: TestProject, fields: object = {}) {
  const wait = { step_ref: "wait", type: "wait_for_event", event_key: "go-{{payload.name}}", timeout_secs: 1000 };
  const child = await bench.save([wait], fields);
  const parent = await bench.save([sub(child)]);
  const id = await bench.start(await bench.save([sub(parent)]), { payload: { name: "x" } });
  // Each level is started by the task after it was created.
  for (let level = 0; level < 3; level++) await world.runUntilIdle();
  const [middle] = await childrenOf(project, id);
  const [last] = await childrenOf(project, middle.id);
  const line = [id, middle.id, last.id];
  const statuses = () => Promise.all(line.map((each) => workflowRunStatus(project, each)));
  return { line, statuses };
}

describe("operating a chain of workflow runs", () => {
  it("cancel applies to every level", async () => {
    const { project, bench } = await aBench();
    const { line, statuses } = await family(bench, project);
    expect(await statuses()).toEqual(["running", "running", "running"]);
    await project.api.post(`/v1/workflow-runs/${line[0]}/cancel`, { reason: "enough" });
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["canceled", "canceled", "canceled"]);
    const { body } = await project.api.get(`/v1/workflow-runs/${line[2]}`);
    expect(body.error).toEqual({ code: "canceled", message: "enough" });
  });

  it("a timeout of the root applies to every level", async () => {
    const { project, bench } = await aBench();
    const child = await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "never" }]);
    const id = await bench.start(await bench.save([sub(await bench.save([sub(child)]))], { timeout_secs: 10 }));
    await world.runUntilIdle();
    await world.clock.pass("11s");
    await world.runUntilIdle();
    const [middle] = await childrenOf(project, id);
    const [last] = await childrenOf(project, middle.id);
    expect([await workflowRunStatus(project, id), middle.status, last.status]).toEqual([
      "timed_out",
      "canceled",
      "canceled",
    ]);
  });

  it("pause and resume apply to every level", async () => {
    const { project, bench } = await aBench();
    const { line, statuses } = await family(bench, project);
    await project.api.post(`/v1/workflow-runs/${line[0]}/pause`);
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["paused", "paused", "paused"]);
    await project.api.post("/v1/events/go-x/send", { payload: { ok: true } });
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["paused", "paused", "paused"]);
    await project.api.post(`/v1/workflow-runs/${line[0]}/resume`);
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
    const { steps } = await bench.read(line[0] ?? "");
    expect(steps.sub.output).toEqual({ sub: { wait: { ok: true } } });
  });

  it("W13 retrying the step starts a new run and cancels the old one, which then changes nothing", async () => {
    const { project, bench } = await aBench();
    const { line, statuses } = await family(bench, project);
    await project.api.post(`/v1/workflow-runs/${line[0]}/steps/sub/replay-subtree`);
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["running", "canceled", "canceled"]);
    const [old, fresh] = await childrenOf(project, line[0] ?? "");
    expect([old.id, fresh.status]).toEqual([line[1], "running"]);
    const { steps } = await bench.read(line[0] ?? "");
    expect(steps.sub).toMatchObject({ status: "running", generation: 2, child_workflow_run_id: fresh.id });

    // The old one is reopened and ends: it belongs to an old generation.
    await project.api.post(`/v1/workflow-runs/${line[2]}/steps/wait/skip`, {});
    await world.runUntilIdle();
    expect(await workflowRunStatus(project, line[2] ?? "")).toBe("completed");
    expect((await bench.read(line[0] ?? "")).steps.sub.status).toBe("running");
    await project.api.post("/v1/events/go-x/send", { payload: 1 });
    await world.runUntilIdle();
    expect((await bench.read(line[0] ?? "")).run.status).toBe("completed");
  });

  it("W13 a retry of a failed step cancels its manually reopened run", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("bad", () => ({ status: 422 }));
    const child = await bench.save([{ step_ref: "bad" }]);
    const ran = await bench.run(await bench.save([sub(child)]));
    const old = ran.steps.sub.child_workflow_run_id;
    bench.onDispatch("bad", () => ({ status: 202 }));
    await project.api.post(`/v1/workflow-runs/${old}/retry`);
    await world.runUntilIdle();
    expect(await workflowRunStatus(project, old)).toBe("running");
    bench.onDispatch("bad", () => undefined);
    await project.api.post(`/v1/workflow-runs/${ran.run.id}/retry`);
    await world.runUntilIdle();
    expect([await workflowRunStatus(project, old), await workflowRunStatus(project, ran.run.id)]).toEqual([
      "canceled",
      "completed",
    ]);
  });

  it("skip cancels the run of the step", async () => {
    const { project, bench } = await aBench();
    const { line, statuses } = await family(bench, project);
    await project.api.post(`/v1/workflow-runs/${line[0]}/steps/sub/skip`, {});
    await world.runUntilIdle();
    expect(await statuses()).toEqual(["completed", "canceled", "canceled"]);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
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

const replay = (project: TestProject, id: string, step_ref: string) =>
  project.api.post(`/v1/workflow-runs/${id}/steps/${step_ref}/replay-subtree`);

describe("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/replay-subtree", () => {
  it("W13 redoes the step and all its descendants, and nothing else", async () => {
    const { project, bench } = await aBench();
    const steps = [
      { step_ref: "root" },
      { step_ref: "left", depends_on: ["root"] },
      { step_ref: "right", depends_on: ["root"] },
      { step_ref: "join", depends_on: ["left", "right"] },
    ];
    const before = await bench.run(await bench.save(steps));
    const { status, body } = await replay(project, before.run.id, "left");
    expect([status, body.step_ref, body.generation]).toEqual([200, "left", 2]);
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run.status).toBe("completed");
    const generations = Object.entries(after.steps).map(([ref, step]) => [ref, step.generation]);
    expect(generations).toEqual([
      ["root", 1],
      ["left", 2],
      ["right", 1],
      ["join", 2],
    ]);
    expect(bench.refs().slice(4)).toEqual(["left", "join"]);
  });

  it("cancels their running and waiting steps", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "runs");
    const steps = [
      { step_ref: "a" },
      { step_ref: "runs", depends_on: ["a"] },
      { step_ref: "waits", type: "wait_for_event", event_key: "e", depends_on: ["a"] },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.statuses).toEqual({ a: "completed", runs: "running", waits: "waiting" });
    await replay(project, before.run.id, "a");
    await world.runUntilIdle();

    const after = await bench.read(before.run.id);
    expect(after.statuses).toEqual({ a: "completed", runs: "running", waits: "waiting" });
    const { body: oldRun } = await project.api.get(`/v1/runs/${before.steps.runs.run_id}`);
    const { body: newRun } = await project.api.get(`/v1/runs/${after.steps.runs.run_id}`);
    expect([oldRun.status, newRun.status]).toEqual(["canceled", "running"]);
    expect(oldRun.error.message).toBe("test key replayed the step a and its dependents");
    const triggers = await runSql<{ id: string; status: string }>(
      world.connection,
      "select id, status from event_triggers where workflow_run_id = $1 order by id",
      [before.run.id],
    );
    expect(triggers).toEqual([
      { id: before.steps.waits.event_trigger_id, status: "canceled" },
      { id: after.steps.waits.event_trigger_id, status: "waiting" },
    ]);
  });

  it("replays a running step: a late result of the old generation changes nothing", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const before = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    expect((await replay(project, before.run.id, "a")).status).toBe(200);
    // The old run ends before it can be canceled.
    const answered = await finishStep(world, bench, "a", { result: { from: "the old one" }, nth: 0 });
    await world.runUntilIdle();
    const { body: old } = await project.api.get(`/v1/runs/${before.steps.a.run_id}`);
    expect([answered, old.status]).toEqual([200, "completed"]);
    const between = await bench.read(before.run.id);
    expect(between.steps.a).toMatchObject({ status: "running", generation: 2, output: null });
    expect(between.statuses.b).toBe("pending");

    expect(await finishStep(world, bench, "a", { result: { from: "the new one" } })).toBeLessThan(300);
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run.status).toBe("completed");
    expect(after.steps.a.output).toEqual({ from: "the new one" });
    expect(bench.refs().filter((ref) => ref === "b")).toHaveLength(1);
  });

  it("an event for the old generation's wait does not complete the step", async () => {
    const { project, bench } = await aBench();
    const steps = [{ step_ref: "a" }, { step_ref: "w", type: "wait_for_event", event_key: "e", depends_on: ["a"] }];
    const before = await bench.run(await bench.save(steps));
    holdStep(bench, "a");
    await replay(project, before.run.id, "a");
    await world.runUntilIdle();
    expect((await bench.read(before.run.id)).statuses).toEqual({ a: "running", w: "pending" });
    const sent = await project.api.post("/v1/events/e/send", { payload: 1 });
    expect(sent.status).toBe(409);
    expect((await bench.read(before.run.id)).statuses.w).toBe("pending");
  });

  it("resets steps elsewhere that a failed descendant had canceled", async () => {
    const { project, bench } = await aBench();
    let fails = true;
    bench.onDispatch("b", () => (fails ? { status: 422 } : undefined));
    const steps = [
      { step_ref: "a" },
      { step_ref: "b", depends_on: ["a"] },
      { step_ref: "elsewhere", type: "wait_for_event", event_key: "k" },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.statuses).toEqual({ a: "completed", b: "failed", elsewhere: "canceled" });
    fails = false;
    await replay(project, before.run.id, "a");
    await world.runUntilIdle();
    expect((await bench.read(before.run.id)).statuses).toEqual({
      a: "completed",
      b: "completed",
      elsewhere: "waiting",
    });
  });

  it("409 if the step has not started, 404 if it is unknown or another project's", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seedWorkflowRun(world.connection, project.id);
    expect(await replay(project, id, "a")).toMatchObject({ status: 409, body: { code: "step_not_started" } });
    expect((await replay(project, id, "nobody")).status).toBe(404);
    const foreign = await seedWorkflowRun(world.connection, other.id, { steps: { a: { status: "completed" } } });
    expect((await replay(project, foreign, "a")).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}/steps/a`)).body.generation).toBe(1);
  });

  it("A12 writes an audit event", async () => {
    const { project, bench } = await aBench();
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }]));
    await replay(project, run.id, "a");
    const audit = await runSql(
      world.connection,
      "select action, before, after from audit_events where resource_id = $1",
      [run.id],
    );
    expect(audit).toEqual([
      { action: "workflow_run.subtree_replayed", before: { status: "completed" }, after: { step_ref: "a" } },
    ]);
  });
});

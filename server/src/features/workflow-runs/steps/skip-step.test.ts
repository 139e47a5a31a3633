import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { holdStep } from "../../../../test/seed/finish-step.ts";
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

const skip = (project: TestProject, id: string, step_ref: string, body: object = {}) =>
  project.api.post(`/v1/workflow-runs/${id}/steps/${step_ref}/skip`, body);

describe("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/skip", () => {
  it("skips a running step, cancels its run, and starts its dependents", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const before = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const { status, body } = await skip(project, before.run.id, "a", { reason: "not needed" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "skipped", cause: "manual", cause_ref: null, output: null, error: null });
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { a: "skipped", b: "completed" }]);
    const { body: run } = await project.api.get(`/v1/runs/${before.steps.a.run_id}`);
    expect(run).toMatchObject({ status: "canceled", error: { message: "not needed" } });
  });

  it("skips a waiting step, and cancels its wait", async () => {
    const { project, bench } = await aBench();
    const steps = [
      { step_ref: "w", type: "wait_for_event", event_key: "e" },
      { step_ref: "b", depends_on: ["w"] },
    ];
    const before = await bench.run(await bench.save(steps));
    await skip(project, before.run.id, "w");
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { w: "skipped", b: "completed" }]);
    const [trigger] = await runSql(world.connection, "select status from event_triggers where id = $1", [
      before.steps.w.event_trigger_id,
    ]);
    expect(trigger).toEqual({ status: "canceled" });
  });

  it("only approvers can skip an approval or cancel its wait, even after it was rejected", async () => {
    const { project, bench } = await aBench();
    const alice = await project.newKey({ name: "alice" });
    const steps = [
      { step_ref: "ok", type: "approval", approvers: ["alice"] },
      { step_ref: "pay", depends_on: ["ok"] },
    ];
    const { run, steps: before } = await bench.run(await bench.save(steps));
    const refused = { status: 403, body: { code: "not_an_approver" } };
    expect(await skip(project, run.id, "ok")).toMatchObject(refused);
    expect(await project.api.delete(`/v1/events/approval:${before.ok.event_trigger_id}`)).toMatchObject(refused);
    expect((await bench.read(run.id)).statuses).toEqual({ ok: "waiting", pay: "pending" });

    await alice.api.post(`/v1/workflow-runs/${run.id}/steps/ok/reject`, {});
    await world.runUntilIdle();
    expect(await skip(project, run.id, "ok")).toMatchObject(refused);
    expect((await alice.api.post(`/v1/workflow-runs/${run.id}/steps/ok/skip`, {})).status).toBe(200);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).statuses).toEqual({ ok: "skipped", pay: "completed" });
  });

  it("an approver can cancel an approval's wait, and so can every caller if no approvers are named", async () => {
    const { project, bench } = await aBench();
    const { key, id } = await project.newKey({ name: "alice" }).then(({ api, id }) => ({ key: api, id }));
    for (const [approvers, api] of [[[id], key] as const, [[], project.api] as const]) {
      const { run, steps } = await bench.run(await bench.save([{ step_ref: "ok", type: "approval", approvers }]));
      expect((await api.delete(`/v1/events/approval:${steps.ok.event_trigger_id}`)).status).toBe(204);
      await world.runUntilIdle();
      expect((await bench.read(run.id)).steps.ok.error).toMatchObject({ code: "event_canceled" });
    }
  });

  it("skips a pending step before it would start", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const steps = [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }, { step_ref: "c", depends_on: ["b"] }];
    const { run } = await bench.run(await bench.save(steps));
    await skip(project, run.id, "b");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).statuses).toEqual({ a: "running", b: "skipped", c: "completed" });
  });

  it("on a failed run works like a retry that leaves the step skipped", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("a", () => ({ status: 422 }));
    const steps = [{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }, { step_ref: "c", depends_on: ["b"] }];
    const before = await bench.run(await bench.save(steps));
    expect(before.statuses).toEqual({ a: "failed", b: "canceled", c: "canceled" });
    await skip(project, before.run.id, "a");
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run).toMatchObject({ status: "completed", error: null, error_count: 0 });
    expect(after.statuses).toEqual({ a: "skipped", b: "completed", c: "completed" });
    expect(bench.refs()).toEqual(["a", "b", "c"]);
  });

  it("starts steps that were skipped because it failed", async () => {
    const { project, bench } = await aBench();
    bench.onDispatch("a", () => ({ status: 422 }));
    const steps = [
      { step_ref: "a", on_failure: "skip_dependents" },
      { step_ref: "b", depends_on: ["a"] },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.statuses).toEqual({ a: "failed", b: "skipped" });
    await skip(project, before.run.id, "a");
    await world.runUntilIdle();
    expect((await bench.read(before.run.id)).statuses).toEqual({ a: "skipped", b: "completed" });
  });

  it("skips a step of a canceled run, and the rest of it continues", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/cancel`, {});
    await skip(project, run.id, "a");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { a: "skipped", b: "completed" }]);
  });

  it("can be undone by a retry", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }]));
    await skip(project, run.id, "a");
    await world.runUntilIdle();
    bench.onDispatch("a", () => undefined);
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/a/retry`);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.a).toMatchObject({ status: "completed", generation: 2, cause: null });
  });

  it.each(["completed", "skipped"] as const)("409 if the step is %s", async (status) => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id, { steps: { a: { status } } });
    const response = await skip(project, id, "a");
    expect(response).toMatchObject({ status: 409, body: { code: "step_ended" } });
    expect(response.body.detail).toContain(status);
  });

  it("404 for an unknown step or workflow run, or another project's", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seedWorkflowRun(world.connection, project.id);
    const foreign = await seedWorkflowRun(world.connection, other.id);
    expect((await skip(project, id, "nobody")).status).toBe(404);
    expect((await skip(project, foreign, "a")).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}/steps/a`)).body.status).toBe("pending");
  });

  it("A12 writes an audit event, and explain shows the reason", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id, { status: "paused" });
    await skip(project, id, "a", { reason: "by hand" });
    const audit = "select action, before, after from audit_events where resource_id = $1";
    expect(await runSql(world.connection, audit, [id])).toEqual([
      {
        action: "workflow_run.step_skipped",
        before: { status: "paused" },
        after: { step_ref: "a", reason: "by hand" },
      },
    ]);
    const query = "select step_ref, decision_type, reason from workflow_decisions where workflow_run_id = $1";
    expect(await runSql(world.connection, query, [id])).toEqual([
      { step_ref: "a", decision_type: "skip", reason: "by hand" },
    ]);
  });
});

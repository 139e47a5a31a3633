import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../test/seed/finish-step.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

const lastAudit = async (id: string) =>
  (
    await runSql(
      world.connection,
      "select action, before, after from audit_events where resource_id = $1 order by id desc limit 1",
      [id],
    )
  )[0];

describe("POST /v1/workflow-runs/{workflowRunID}/cancel", () => {
  it("ends the run with its steps, its waits, and its steps' job runs", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "work");
    const workflow = await bench.save([
      { step_ref: "done" },
      { step_ref: "work", depends_on: ["done"] },
      { step_ref: "wait", type: "wait_for_event", event_key: "go" },
      { step_ref: "last", depends_on: ["work", "wait"] },
    ]);
    const { run: before, statuses } = await bench.run(workflow);
    expect(statuses).toEqual({ done: "completed", work: "running", wait: "waiting", last: "pending" });

    const { status, body } = await project.api.post(`/v1/workflow-runs/${before.id}/cancel`, { reason: "no stock" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "canceled", error: { code: "canceled", message: "no stock" } });
    await world.runUntilIdle();
    const after = await bench.read(before.id);
    expect(after.statuses).toEqual({ done: "completed", work: "canceled", wait: "canceled", last: "canceled" });
    expect(after.steps.work).toMatchObject({ cause: "workflow_canceled", cause_ref: null });
    const { body: jobRun } = await project.api.get(`/v1/runs/${after.steps.work.run_id}`);
    expect(jobRun).toMatchObject({ status: "canceled", error: { message: "no stock" } });
    const triggers = await runSql(world.connection, "select status from event_triggers where workflow_run_id = $1", [
      before.id,
    ]);
    expect(triggers).toEqual([{ status: "canceled" }]);
  });

  it("A12 writes an audit event with the previous status and the reason", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    await project.api.post(`/v1/workflow-runs/${id}/cancel`, { reason: "too late" });
    expect(await lastAudit(id)).toEqual({
      action: "workflow_run.canceled",
      before: { status: "running" },
      after: { status: "canceled", reason: "too late" },
    });
  });

  it("cancels a run that has not started, and a paused one", async () => {
    const project = await world.project();
    for (const status of ["pending", "paused"] as const) {
      const id = await seedWorkflowRun(world.connection, project.id, { status });
      const { body } = await project.api.post(`/v1/workflow-runs/${id}/cancel`, {});
      expect(body).toMatchObject({ status: "canceled", paused_at: null, error: { message: "Canceled by test key." } });
    }
  });

  it.each(["completed", "failed", "timed_out"] as const)("409 if it is %s", async (status) => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id, { status });
    const response = await project.api.post(`/v1/workflow-runs/${id}/cancel`, {});
    expect(response).toMatchObject({ status: 409, body: { code: "workflow_run_ended" } });
    expect(response.body.detail).toContain(status);
    expect(await lastAudit(id)).toBeUndefined();
  });

  it("404 for a workflow run of another project, which continues", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seedWorkflowRun(world.connection, other.id);
    expect((await project.api.post(`/v1/workflow-runs/${id}/cancel`, {})).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${id}`)).body.status).toBe("running");
  });

  it("a job run that ends after it changes nothing", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const { run: before } = await bench.run(
      await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]),
    );
    await project.api.post(`/v1/workflow-runs/${before.id}/cancel`, {});
    await finishStep(world, bench, "a");
    await world.runUntilIdle();
    const after = await bench.read(before.id);
    expect([after.run.status, after.statuses]).toEqual(["canceled", { a: "canceled", b: "canceled" }]);
  });
});

describe("POST /v1/workflow-runs/bulk-cancel", () => {
  const total = (text: string, name: string) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1] ?? 0);
  const metrics = async () => {
    const { text } = await world.admin.get("/metrics");
    return ["svc_bulk_operations_total", "svc_bulk_items_processed_total", "svc_bulk_child_cancellations_total"].map(
      (name) => total(text, name),
    );
  };
  const cancelAll = (project: Awaited<ReturnType<World["project"]>>, workflow_run_ids: string[], reason?: string) =>
    project.api.post("/v1/workflow-runs/bulk-cancel", { workflow_run_ids, ...(reason && { reason }) });

  it("W13 cancels each and returns the outcomes, in the order of the request", async () => {
    const project = await world.project();
    const seed = (status: "running" | "paused" | "completed" | "canceled") =>
      seedWorkflowRun(world.connection, project.id, { status });
    const [running, ended, paused] = [await seed("running"), await seed("completed"), await seed("paused")];
    const foreign = await seedWorkflowRun(world.connection, (await world.project()).id);
    const canceled = await seed("canceled");
    const { status, body } = await cancelAll(project, [running, ended, foreign, paused, canceled], "closing");
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { index: 0, workflow_run_id: running, status: "canceled", error: null },
      {
        index: 1,
        workflow_run_id: ended,
        status: "failed",
        error: expect.objectContaining({ code: "workflow_run_ended" }),
      },
      {
        index: 2,
        workflow_run_id: foreign,
        status: "failed",
        error: { code: "not_found", message: "There is no such workflow run." },
      },
      { index: 3, workflow_run_id: paused, status: "canceled", error: null },
      { index: 4, workflow_run_id: canceled, status: "canceled", error: null },
    ]);
    const { body: run } = await project.api.get(`/v1/workflow-runs/${running}`);
    expect(run).toMatchObject({ status: "canceled", error: { message: "closing" } });
    expect(await lastAudit(running)).toMatchObject({ after: { batch_id: body.batch_id, reason: "closing" } });
  });

  it("W13 returns a finished batch operation", async () => {
    const project = await world.project();
    const ids = [
      await seedWorkflowRun(world.connection, project.id),
      await seedWorkflowRun(world.connection, project.id, { status: "failed" }),
    ];
    const { body } = await cancelAll(project, ids);
    const [batch] = await runSql(world.connection, "select * from batch_operations where id = $1", [body.batch_id]);
    expect(batch).toMatchObject({
      project_id: project.id,
      kind: "cancel_workflow_runs",
      status: "completed",
      total: 2,
      processed: 2,
      succeeded: 1,
      failed: 1,
    });
    const items = await runSql(
      world.connection,
      "select item_index, target_id, status from batch_items where batch_id = $1 order by item_index",
      [body.batch_id],
    );
    expect(items).toEqual([
      { item_index: 0, target_id: ids[0], status: "succeeded" },
      { item_index: 1, target_id: ids[1], status: "failed" },
    ]);
  });

  it("W13 cancels their steps' job runs, and the metrics count all of them", async () => {
    const { project, bench } = await aBench();
    for (const ref of ["a", "b"]) holdStep(bench, ref);
    const workflow = await bench.save([{ step_ref: "a" }, { step_ref: "b" }]);
    const ids = [(await bench.run(workflow)).run.id, (await bench.run(workflow)).run.id];
    const before = await metrics();
    await cancelAll(project, ids);
    expect((await metrics()).map((now, nth) => now - (before[nth] ?? 0))).toEqual([1, 2, 4]);
    await world.runUntilIdle();
    const { body } = await project.api.get("/v1/runs?status=canceled");
    expect(body.data).toHaveLength(4);
  });

  it("W13 processes an id only once if it is named twice", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    const { body } = await cancelAll(project, [id, id]);
    expect(body.results).toEqual([{ index: 0, workflow_run_id: id, status: "canceled", error: null }]);
    const batch = await project.api.get(`/v1/batch-operations/${body.batch_id}`);
    expect(batch.body).toMatchObject({ status: "completed", total: 1, processed: 1 });
  });

  it("422 for no ids and for more than 100", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    const many = Array.from({ length: 101 }, (_, nth) => id.slice(0, -3) + String(nth).padStart(3, "0"));
    for (const ids of [[], many]) {
      const response = await cancelAll(project, ids);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ location: "body.workflow_run_ids" }] } });
    }
    expect((await project.api.get(`/v1/workflow-runs/${id}`)).body.status).toBe("running");
  });
});

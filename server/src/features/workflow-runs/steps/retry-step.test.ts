import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { approvalStep } from "../../../../test/seed/workflow-definition.ts";
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

const retry = (project: TestProject, id: string, step_ref: string) =>
  project.api.post(`/v1/workflow-runs/${id}/steps/${step_ref}/retry`);

/** The runs of a step fail this many times, then complete. */
function failTimes(bench: WorkflowBench, step_ref: string, times: number): void {
  let left = times;
  bench.onDispatch(step_ref, () => (left-- > 0 ? { status: 422 } : undefined));
}

const auditOf = (id: string) =>
  runSql(world.connection, "select action, before, after from audit_events where resource_id = $1 order by id", [id]);

describe("POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/retry", () => {
  it("counts the failed steps of a running run, and one less after a retry", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "f", 1);
    const steps = [
      { step_ref: "f", on_failure: "continue" },
      { step_ref: "s", type: "sleep", sleep_duration: "1h" },
    ];
    const { run } = await bench.run(await bench.save(steps));
    expect(run).toMatchObject({ status: "running", error_count: 1 });
    await retry(project, run.id, "f");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "running", error_count: 0 });
  });

  it("W13 resets a failed step and the steps canceled because of it, and the run continues; completed steps stay", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "b", 1);
    const steps = [
      { step_ref: "a" },
      { step_ref: "b", depends_on: ["a"] },
      { step_ref: "c", depends_on: ["b"] },
      { step_ref: "wait", type: "wait_for_event", event_key: "k", on_failure: "continue" },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.run).toMatchObject({ status: "failed", error: { code: "step_failed" }, error_count: 1 });
    expect(before.statuses).toEqual({ a: "completed", b: "failed", c: "canceled", wait: "canceled" });

    const { status, body } = await retry(project, before.run.id, "b");
    expect([status, body.step_ref, body.generation]).toEqual([200, "b", 2]);
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run).toMatchObject({ status: "running", error: null, error_count: 0, finished_at: null });
    expect(after.statuses).toEqual({ a: "completed", b: "completed", c: "completed", wait: "waiting" });
    expect([after.steps.a.generation, after.steps.c.generation, after.steps.wait.generation]).toEqual([1, 2, 2]);
    expect(bench.refs()).toEqual(["a", "b", "b", "c"]);
  });

  it("W13 resets all descendants that were skipped because of it", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "a", 1);
    const steps = [
      { step_ref: "a", on_failure: "skip_dependents" },
      { step_ref: "b", depends_on: ["a"] },
      { step_ref: "c", depends_on: ["b"] },
      { step_ref: "apart" },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.run).toMatchObject({ status: "completed", error_count: 1 });
    expect(before.statuses).toEqual({ a: "failed", b: "skipped", c: "skipped", apart: "completed" });
    await retry(project, before.run.id, "a");
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run).toMatchObject({ status: "completed", error_count: 0 });
    expect(new Set(Object.values(after.statuses))).toEqual(new Set(["completed"]));
    expect(bench.refs().filter((ref) => ref === "apart")).toHaveLength(1);
  });

  it("W13 redoes a completed step, and leaves the following steps unchanged", async () => {
    const { project, bench } = await aBench();
    const before = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    await retry(project, before.run.id, "a");
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect([after.run.status, after.steps.a.generation, after.steps.b.generation]).toEqual(["completed", 2, 1]);
    expect(bench.refs()).toEqual(["a", "b", "a"]);
    expect(after.steps.a.run_id).not.toBe(before.steps.a.run_id);
  });

  it("retries a step that failed under `continue` while the run is running", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "a", 1);
    holdStep(bench, "slow");
    const before = await bench.run(await bench.save([{ step_ref: "a", on_failure: "continue" }, { step_ref: "slow" }]));
    expect([before.run.status, before.statuses.a]).toEqual(["running", "failed"]);
    await retry(project, before.run.id, "a");
    await world.runUntilIdle();
    expect((await bench.read(before.run.id)).statuses).toEqual({ a: "completed", slow: "running" });
    await finishStep(world, bench, "slow");
    await world.runUntilIdle();
    expect((await bench.read(before.run.id)).run).toMatchObject({ status: "completed", error_count: 0 });
  });

  it("of a paused run starts nothing until it is resumed", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "a", 1);
    holdStep(bench, "slow");
    const { run } = await bench.run(
      await bench.save([{ step_ref: "a", on_failure: "continue" }, { step_ref: "slow" }]),
    );
    await project.api.post(`/v1/workflow-runs/${run.id}/pause`);
    await retry(project, run.id, "a");
    await world.runUntilIdle();
    const paused = await bench.read(run.id);
    expect([paused.run.status, paused.statuses.a]).toEqual(["paused", "pending"]);
    await project.api.post(`/v1/workflow-runs/${run.id}/resume`);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).statuses.a).toBe("completed");
  });

  it("fails the run again at once if another step has failed it; the step is revived when that one is retried", async () => {
    const { project, bench } = await aBench();
    for (const ref of ["a", "b"]) holdStep(bench, ref);
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b" }]));
    // Both failed before the run was advanced.
    await runSql(
      world.connection,
      `update step_runs set prev_status = status, status = 'failed', finished_at = clock(),
         error = '{"code":"x","message":"x"}' where workflow_run_id = $1`,
      [run.id],
    );
    await runSql(world.connection, "update workflow_runs set updated_at = clock() - interval '1 hour' where id = $1", [
      run.id,
    ]);
    await world.tick("reconcile-workflows");
    expect((await bench.read(run.id)).run.status).toBe("failed");

    for (const ref of ["a", "b"]) bench.onDispatch(ref, () => undefined);
    await retry(project, run.id, "a");
    await world.runUntilIdle();
    const between = await bench.read(run.id);
    expect(between.run).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("step b failed") },
    });
    expect(between.steps.a).toMatchObject({ status: "canceled", cause: "step_failed", cause_ref: "b" });
    await retry(project, run.id, "b");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
  });

  it("restarts the timeout of a run with timeout_secs", async () => {
    const own = await makeFlowWorld();
    const project = await own.project();
    const bench = await workflowBench(own, project);
    await own.clock.set("2030-01-01T00:00:00Z");
    const steps = [{ step_ref: "wait", type: "wait_for_event", event_key: "x", timeout_secs: 86_400 }];
    const { run } = await bench.run(await bench.save(steps, { timeout_secs: 60 }));
    await own.clock.pass("2m");
    await own.tick("time-out-workflow-runs");
    expect((await bench.read(run.id)).run.status).toBe("timed_out");
    await retry(project, run.id, "wait");
    await own.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ status: "running", deadline: "2030-01-01T00:03:00.000Z" });
    expect(after.statuses.wait).toBe("waiting");
  });

  it.each(["pending", "running", "waiting"] as const)("409 if the step is %s", async (status) => {
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id, { steps: [approvalStep("a")] });
    const id = await seedWorkflowRun(world.connection, project.id, { workflow, steps: { a: { status } } });
    const response = await retry(project, id, "a");
    expect(response).toMatchObject({ status: 409, body: { code: "step_not_ended" } });
    expect(response.body.detail).toContain(status);
    expect(await auditOf(id)).toEqual([]);
  });

  it("404 for an unknown step or workflow run, or another project's", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seedWorkflowRun(world.connection, project.id);
    const foreign = await seedWorkflowRun(world.connection, other.id, { steps: { a: { status: "failed" } } });
    expect((await retry(project, id, "nobody")).status).toBe(404);
    expect((await retry(project, foreign, "a")).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}/steps/a`)).body.status).toBe("failed");
  });

  it("A12 is audited, and shown in explain for every step that was reset", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "a", 1);
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    await retry(project, run.id, "a");
    expect(await auditOf(run.id)).toEqual([
      { action: "workflow_run.step_retried", before: { status: "failed" }, after: { step_ref: "a" } },
    ]);
    const decisions = await runSql(
      world.connection,
      "select step_ref, reason from workflow_decisions where workflow_run_id = $1 and decision_type = 'retry' order by ordinal",
      [run.id],
    );
    const reason = "test key retried the step a";
    expect(decisions).toEqual([
      { step_ref: "a", reason },
      { step_ref: "b", reason },
    ]);
  });
});

describe("POST /v1/workflow-runs/{workflowRunID}/retry", () => {
  const retryRun = (project: TestProject, id: string) => project.api.post(`/v1/workflow-runs/${id}/retry`);

  it("W13 redoes every failed step; completed ones stay", async () => {
    const { project, bench } = await aBench();
    failTimes(bench, "b", 1);
    failTimes(bench, "c", 1);
    const steps = [
      { step_ref: "a" },
      { step_ref: "b", on_failure: "continue" },
      { step_ref: "c", on_failure: "skip_dependents" },
      { step_ref: "d", depends_on: ["c"] },
    ];
    const before = await bench.run(await bench.save(steps));
    expect(before.run).toMatchObject({ status: "completed", error_count: 2 });
    const { status, body } = await retryRun(project, before.run.id);
    expect([status, body.status]).toEqual([200, "running"]);
    await world.runUntilIdle();
    const after = await bench.read(before.run.id);
    expect(after.run).toMatchObject({ status: "completed", error_count: 0 });
    expect(after.statuses).toEqual({ a: "completed", b: "completed", c: "completed", d: "completed" });
    expect(bench.refs().filter((ref) => ref === "a")).toHaveLength(1);
    expect(await auditOf(before.run.id)).toEqual([
      { action: "workflow_run.retried", before: { status: "completed" }, after: null },
    ]);
  });

  it("resumes the steps canceled with the run, even if no step had failed", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    await project.api.post(`/v1/workflow-runs/${run.id}/cancel`, {});
    await world.runUntilIdle();
    bench.onDispatch("a", () => undefined);
    expect((await retryRun(project, run.id)).status).toBe(200);
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { a: "completed", b: "completed" }]);
  });

  it("starts a run that was canceled before it started", async () => {
    const { project, bench } = await aBench();
    const id = await bench.start(await bench.save([{ step_ref: "a" }]), { delay_secs: 3_600 });
    await project.api.post(`/v1/workflow-runs/${id}/cancel`, {});
    await retryRun(project, id);
    await world.runUntilIdle();
    const { run } = await bench.read(id);
    expect(run).toMatchObject({ status: "completed", started_at: expect.any(String) });
  });

  it("W13 409 if nothing has failed", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "slow");
    const completed = await bench.run(await bench.save([{ step_ref: "a" }]));
    const running = await bench.run(await bench.save([{ step_ref: "slow" }]));
    for (const { run } of [completed, running]) {
      const response = await retryRun(project, run.id);
      expect(response).toMatchObject({ status: 409, body: { code: "nothing_to_retry" } });
      expect(response.body.detail).toContain(run.status);
    }
  });

  it("404 for a workflow run of another project", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const steps = { a: { status: "failed" } } as const;
    const foreign = await seedWorkflowRun(world.connection, other.id, { status: "failed", steps });
    expect((await retryRun(project, foreign)).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}`)).body.status).toBe("failed");
  });
});

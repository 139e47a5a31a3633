import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../test/costs/workflow-bench.ts";
import { holderOf } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { dyingInstance } from "../../../test/world/dying-instance.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import type { Ctx } from "../../platform/context.ts";
import { sendEvent } from "../events/send-event.ts";
import { progressRuns } from "../workflows/progress/progress-runs.ts";
import type { LeasedRun, Outcome } from "./dispatch/outcome.ts";
import { settleRuns } from "./settle/settle-runs.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  project = await world.project();
  bench = await workflowBench(world, project);
  // Accepted: they run until the test reports their end.
  for (const ref of ["a", "b"]) bench.onDispatch(ref, () => ({ status: 202 }));
});

const COMPLETED: Outcome = { kind: "completed", result_json: '{"x":1}' };
const FAILED: Outcome = { kind: "failed", retryable: false, error: { code: "bad", message: "bad" } };

async function settle(ctx: Ctx, run_id: string, outcome: Outcome): Promise<void> {
  const { lease_token } = await holderOf(world, run_id);
  const [row] = await runSql<Omit<LeasedRun, "lease_token">>(
    world.connection,
    `select project_id, id as run_id, job_version_id, attempt, tries_used, crash_count, max_attempts, null as slots
     from runs where id = $1`,
    [run_id],
  );
  expect(await settleRuns(ctx, [{ run: { ...row, lease_token } as LeasedRun, outcome }])).toEqual([true]);
}

const kindsLeft = async () =>
  (await runSql<{ kind: string }>(world.connection, "select kind from outbox where project_id = $1", [project.id]))
    .map((row) => row.kind)
    .toSorted();

describe("T10 after an instance dies between a commit and its follow-up", () => {
  it("the reconciliation applies the end of a step's run within a cycle", async () => {
    const { run, steps } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "c", depends_on: ["a"] }]));
    const { ctx, die } = dyingInstance(world.ctx);
    await settle(ctx, steps.a.run_id, COMPLETED);
    die();
    expect((await bench.read(run.id)).statuses).toEqual({ a: "running", c: "pending" });
    const [warn, error] = [vi.spyOn(world.ctx.log, "warn"), vi.spyOn(world.ctx.log, "error")];
    await world.clock.pass("30s");
    await world.tick("reconcile-workflows");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    const found = { cause: "step_ended", count: 1, workflow_runs: [run.id] };
    expect(warn).toHaveBeenCalledWith(found, expect.stringContaining("not progressed in time"));
    expect(error).not.toHaveBeenCalled();
  });

  it("the outbox progresses a step that an event resolved", async () => {
    const waits = { step_ref: "w", type: "wait_for_event", event_key: "go" };
    const { run } = await bench.run(await bench.save([waits, { step_ref: "c", depends_on: ["w"] }]));
    const { ctx, die } = dyingInstance(world.ctx);
    await sendEvent(ctx, { project_id: project.id, event_key: "go", payload: 1, sent_by: "test" });
    die();
    expect((await bench.read(run.id)).statuses).toEqual({ w: "completed", c: "pending" });
    expect(await kindsLeft()).toEqual(["progress"]);
    await world.tick("run-outbox");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect(await kindsLeft()).toEqual([]);
  });

  it("the outbox emits the event of a step", async () => {
    const waiting = await bench.run(await bench.save([{ step_ref: "w", type: "wait_for_event", event_key: "done" }]));
    const emitting = await bench.run(await bench.save([{ step_ref: "a", event_emit_key: "done" }]));
    const { ctx, die } = dyingInstance(world.ctx);
    await settle(ctx, emitting.steps.a.run_id, COMPLETED);
    await progressRuns(ctx, [{ project_id: project.id, workflow_run_id: emitting.run.id }]);
    die();
    expect((await bench.read(emitting.run.id)).run.status).toBe("completed");
    expect((await bench.read(waiting.run.id)).statuses).toEqual({ w: "waiting" });
    expect(await kindsLeft()).toEqual(["emit"]);
    await world.runUntilIdle();
    expect((await bench.read(waiting.run.id)).steps.w).toMatchObject({ status: "completed", output: { x: 1 } });
  });

  it("the outbox cancels the job runs of a canceled workflow run, and starts its failure job", async () => {
    const handler = await project.api.post("/v1/jobs", { name: "Handler", endpoint_url: bench.endpoint.url });
    const { run, steps } = await bench.run(
      await bench.save([{ step_ref: "a" }, { step_ref: "b" }], { on_failure_job_id: handler.body.id }),
    );
    const { ctx, die } = dyingInstance(world.ctx);
    await settle(ctx, steps.a.run_id, FAILED);
    await progressRuns(ctx, [{ project_id: project.id, workflow_run_id: run.id }]);
    die();
    expect((await bench.read(run.id)).run.status).toBe("failed");
    expect((await project.api.get(`/v1/runs/${steps.b.run_id}`)).body.status).toBe("running");
    expect(await kindsLeft()).toEqual(["cancel_run", "workflow_on_failure"]);
    await world.runUntilIdle();
    expect((await project.api.get(`/v1/runs/${steps.b.run_id}`)).body.status).toBe("canceled");
    expect(bench.endpoint.dispatches.filter(({ body }) => body.job_id === handler.body.id)).toHaveLength(1);
  });

  it("the outbox starts the failure job of a run", async () => {
    const handler = await project.api.post("/v1/jobs", { name: "Handler", endpoint_url: bench.endpoint.url });
    await project.api.patch(`/v1/jobs/${bench.job_id}`, { on_failure_job_id: handler.body.id });
    const { steps } = await bench.run(await bench.save([{ step_ref: "a" }]));
    const { ctx, die } = dyingInstance(world.ctx);
    await settle(ctx, steps.a.run_id, FAILED);
    die();
    expect(await kindsLeft()).toEqual(["on_failure"]);
    await world.runUntilIdle();
    expect(bench.endpoint.dispatches.filter(({ body }) => body.job_id === handler.body.id)).toHaveLength(1);
  });

  it("the outbox resumes the parent that waits for the end of a child", async () => {
    const parent = (await bench.run(await bench.save([{ step_ref: "a" }]))).steps.a;
    const held = await holderOf(world, parent.run_id);
    const spawned = await held.sdk.post("/spawn", { job_id: bench.job_id, wait: true, payload: { child: true } });
    expect(spawned.status).toBe(201);
    bench.endpoint.respondWith({ status: 202 });
    await world.runUntilIdle();
    const child = spawned.body.id ?? spawned.body.run?.id;
    const { ctx, die } = dyingInstance(world.ctx);
    await settle(ctx, child, COMPLETED);
    die();
    expect((await project.api.get(`/v1/runs/${parent.run_id}`)).body.status).toBe("waiting");
    expect(await kindsLeft()).toEqual(["child_ended"]);
    await world.runUntilIdle();
    expect((await project.api.get(`/v1/runs/${parent.run_id}`)).body.status).toBe("running");
    expect(bench.endpoint.dispatches.at(-1)?.body).toMatchObject({ checkpoint: { ok: true, output: { x: 1 } } });
  });
});

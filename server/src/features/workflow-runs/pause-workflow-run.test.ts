import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { finishStep, holdStep } from "../../../test/seed/finish-step.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { approvalStep } from "../../../test/seed/workflow-definition.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function aBench() {
  const project = await world.project();
  return { project, bench: await workflowBench(world, project) };
}

const pause = (project: TestProject, id: string) => project.api.post(`/v1/workflow-runs/${id}/pause`);
const resume = (project: TestProject, id: string) => project.api.post(`/v1/workflow-runs/${id}/resume`);
const auditOf = (id: string) =>
  runSql(world.connection, "select action, before from audit_events where resource_id = $1 order by id", [id]);

describe("POST /v1/workflow-runs/{workflowRunID}/pause", () => {
  it("starts nothing more: running steps continue to their end, and count when the run is resumed", async () => {
    const { project, bench } = await aBench();
    holdStep(bench, "a");
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b", depends_on: ["a"] }]));
    const { status, body } = await pause(project, run.id);
    expect([status, body.status, body.paused_at]).toEqual([200, "paused", expect.any(String)]);

    expect(await finishStep(world, bench, "a")).toBeLessThan(300);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).statuses.b).toBe("pending");
    expect(bench.refs()).toEqual(["a"]);

    await resume(project, run.id);
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["completed", { a: "completed", b: "completed" }]);
  });

  it("accepts events meanwhile: trigger and step end at once, and the following steps wait", async () => {
    const { project, bench } = await aBench();
    const steps = [
      { step_ref: "wait", type: "wait_for_event", event_key: "paid" },
      { step_ref: "b", depends_on: ["wait"] },
    ];
    const { run } = await bench.run(await bench.save(steps));
    await pause(project, run.id);
    const sent = await project.api.post("/v1/events/paid/send", { payload: { sum: 5 } });
    expect(sent).toMatchObject({ status: 200, body: { status: "received" } });
    await world.runUntilIdle();
    const paused = await bench.read(run.id);
    expect(paused.steps.wait).toMatchObject({ status: "completed", output: { sum: 5 } });
    expect([paused.run.status, paused.statuses.b]).toEqual(["paused", "pending"]);
    await resume(project, run.id);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
  });

  it("lets a wait time out while the run is paused, which fails the run when it is resumed", async () => {
    const own = await makeFlowWorld();
    const project = await own.project();
    const bench = await workflowBench(own, project);
    await own.clock.set("2030-01-01T00:00:00Z");
    const steps = [{ step_ref: "wait", type: "wait_for_event", event_key: "never", timeout_secs: 60 }];
    const { run } = await bench.run(await bench.save(steps));
    await pause(project, run.id);
    await own.clock.pass("61s");
    await own.runUntilIdle();
    const paused = await bench.read(run.id);
    expect([paused.run.status, paused.statuses.wait]).toEqual(["paused", "failed"]);
    await resume(project, run.id);
    await own.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("failed");
  });

  it("keeps a run that has not started from starting until it is resumed", async () => {
    const { project, bench } = await aBench();
    const id = await bench.start(await bench.save([{ step_ref: "a" }]), { delay_secs: 3600 });
    expect((await pause(project, id)).body).toMatchObject({ status: "paused", started_at: null });
    await runSql(world.connection, "update workflow_runs set scheduled_at = clock() where id = $1", [id]);
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("paused");
    expect((await resume(project, id)).body.status).toBe("pending");
    await world.runUntilIdle();
    expect((await bench.read(id)).run.status).toBe("completed");
  });

  it("A12 writes one audit event, and a second pause changes nothing", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    const first = await pause(project, id);
    const second = await pause(project, id);
    expect(second).toMatchObject({ status: 200, body: { status: "paused", paused_at: first.body.paused_at } });
    expect(await auditOf(id)).toEqual([{ action: "workflow_run.paused", before: { status: "running" } }]);
  });

  it("409 if it has ended, 404 for another project's", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const ended = await seedWorkflowRun(world.connection, project.id, { status: "completed" });
    expect(await pause(project, ended)).toMatchObject({ status: 409, body: { code: "workflow_run_ended" } });
    const foreign = await seedWorkflowRun(world.connection, other.id);
    expect((await pause(project, foreign)).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}`)).body.status).toBe("running");
  });
});

describe("POST /v1/workflow-runs/{workflowRunID}/resume", () => {
  it("excludes paused time from timeout_secs: moves the deadline by it", async () => {
    const own = await makeFlowWorld();
    const project = await own.project();
    const bench = await workflowBench(own, project);
    await own.clock.set("2030-01-01T00:00:00Z");
    const steps = [{ step_ref: "wait", type: "wait_for_event", event_key: "x", timeout_secs: 86_400 }];
    const { run } = await bench.run(await bench.save(steps, { timeout_secs: 100 }));
    expect(run.deadline).toBe("2030-01-01T00:01:40.000Z");

    await own.clock.pass("40s");
    await pause(project, run.id);
    await own.clock.pass("1h");
    await own.tick("time-out-workflow-runs");
    const resumed = await resume(project, run.id);
    expect(resumed.body).toMatchObject({ status: "running", paused_at: null, deadline: "2030-01-01T01:01:40.000Z" });
    await own.clock.pass("59s");
    await own.tick("time-out-workflow-runs");
    expect((await bench.read(run.id)).run.status).toBe("running");
    await own.clock.pass("2s");
    await own.tick("time-out-workflow-runs");
    expect((await bench.read(run.id)).run.status).toBe("timed_out");
  });

  it("A12 writes one audit event; a run that is not paused is returned unchanged", async () => {
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id, { steps: [approvalStep("a")] });
    const steps = { a: { status: "waiting" } } as const;
    const id = await seedWorkflowRun(world.connection, project.id, { workflow, status: "paused", steps });
    await resume(project, id);
    expect(await resume(project, id)).toMatchObject({ status: 200, body: { paused_at: null } });
    expect(await auditOf(id)).toEqual([{ action: "workflow_run.resumed", before: { status: "paused" } }]);
  });

  it("409 if it has ended, 404 for another project's", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const ended = await seedWorkflowRun(world.connection, project.id, { status: "failed" });
    expect(await resume(project, ended)).toMatchObject({ status: 409, body: { code: "workflow_run_ended" } });
    const foreign = await seedWorkflowRun(world.connection, other.id, { status: "paused" });
    expect((await resume(project, foreign)).status).toBe(404);
    expect((await other.api.get(`/v1/workflow-runs/${foreign}`)).body.status).toBe("paused");
  });
});

describe("explain", () => {
  it("shows who paused and who resumed a workflow run", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    await pause(project, id);
    await resume(project, id);
    const decisions = await runSql(
      world.connection,
      "select decision_type, reason from workflow_decisions where workflow_run_id = $1 order by ordinal limit 2",
      [id],
    );
    expect(decisions).toEqual([
      { decision_type: "pause", reason: "Paused by test key." },
      { decision_type: "resume", reason: "Resumed by test key." },
    ]);
  });
});

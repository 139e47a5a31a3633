import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { makeSaga, type Saga } from "../../../../test/seed/saga.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
let saga: Saga;
beforeAll(async () => {
  world = await makeFlowWorld();
});
beforeEach(async () => {
  saga = await makeSaga(world);
});

const UNDONE = ["charge:compensate", "reserve:compensate"];

describe("the compensation of a workflow run that fails", () => {
  it("compensates the completed steps in reverse order of completion, with the input and output of each", async () => {
    const { bench, failing, undone, steps } = saga;
    failing("ship");
    const [reserve, ...rest] = steps();
    const workflow = await bench.save([{ ...reserve, payload: { for: "{{payload.sku}}" } } as object, ...rest]);
    const { run, steps: after, statuses } = await bench.run(workflow, { payload: { sku: "s-1" } });
    expect(undone()).toEqual(UNDONE);
    expect(bench.endpoint.dispatches.slice(-2).map(({ body }) => body.payload)).toEqual([
      { input: { sku: "s-1" }, output: { step: "charge" } },
      { input: { sku: "s-1", for: "s-1" }, output: { step: "reserve" } },
    ]);
    expect(run).toMatchObject({ status: "failed", phase: null, error_count: 1 });
    expect(run.error).toMatchObject({ code: "step_failed", message: expect.stringContaining("ship") });
    expect(statuses).toEqual({ reserve: "completed", charge: "completed", ship: "failed" });
    expect(after.ship).toMatchObject({ compensation_status: null, compensation_run_id: null, compensated_at: null });
    for (const step of [after.reserve, after.charge]) {
      expect(step).toMatchObject({ compensation_status: "completed", compensation_error: null });
      expect(step.compensated_at).not.toBeNull();
    }
  });

  it("runs them one after another", async () => {
    const { bench, failing, undone, steps } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const { run, steps: meanwhile } = await bench.run(await bench.save(steps()));
    expect(undone()).toEqual(["charge:compensate"]);
    expect(meanwhile.charge.compensation_status).toBe("running");
    expect(meanwhile.reserve.compensation_status).toBeNull();
    await finishStep(world, bench, "charge:compensate");
    await world.runUntilIdle();
    expect(undone()).toEqual(UNDONE);
    expect((await bench.read(run.id)).run.status).toBe("failed");
  });

  it("keeps the run running meanwhile: the on-failure job and the next run start only after its end", async () => {
    const { project, bench, failing, steps, newJob, decided } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const on_failure_job_id = await newJob("Alert");
    const workflow = await bench.save(steps(), { on_failure_job_id, max_concurrent_runs: 1 });
    const { run } = await bench.run(workflow);
    const next = await bench.start(workflow);
    await world.runUntilIdle();
    const meanwhile = (await bench.read(run.id)).run;
    expect(meanwhile).toMatchObject({ status: "running", phase: "compensating", finished_at: null });
    expect(meanwhile.error.code).toBe("step_failed");
    expect((await bench.read(next)).run).toMatchObject({ status: "pending", phase: null });
    const failureRuns = async () => (await project.api.get(`/v1/runs?job_id=${on_failure_job_id}`)).body.data.length;
    expect(await failureRuns()).toBe(0);

    await finishStep(world, bench, "charge:compensate");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "failed", phase: null });
    expect(await failureRuns()).toBe(1);
    expect(await decided(run.id, "end")).toEqual(["end"]);
    expect((await bench.read(next)).run.status).not.toBe("pending");
  });

  it("records and counts a failed compensation, and continues with the rest", async () => {
    const { bench, failing, undone, steps } = saga;
    failing("ship", "charge:compensate");
    const { run, steps: after } = await bench.run(await bench.save(steps()));
    expect(undone()).toEqual(UNDONE);
    expect(after.charge).toMatchObject({ status: "completed", compensation_status: "failed", compensated_at: null });
    expect(after.charge.compensation_error.message).toContain("422");
    expect(after.reserve.compensation_status).toBe("completed");
    expect(run).toMatchObject({ status: "failed", error_count: 2 });
    expect(run.error.message).toContain("ship");
  });

  it("retries each according to its own job", async () => {
    const { bench, failing, undone, newJob } = saga;
    const compensate_job_id = await newJob("Stubborn", { max_attempts: 3 });
    failing("b");
    bench.onDispatch("a:compensate", ({ attempt }) => ({ status: attempt < 3 ? 503 : 200 }));
    const workflow = await bench.save([
      { step_ref: "a", compensate_job_id, max_attempts: 1 },
      { step_ref: "b", depends_on: ["a"] },
    ]);
    const { run } = await bench.run(workflow);
    for (let n = 0; n < 3; n++) {
      await world.clock.pass("1h");
      await world.runUntilIdle();
    }
    expect(undone()).toHaveLength(3);
    expect((await bench.read(run.id)).steps.a.compensation_status).toBe("completed");
  });

  it("records a compensation whose job rejects it, does not exist or is disabled, and continues", async () => {
    const { project, bench, failing, undone, newJob } = saga;
    const picky = await newJob("Picky", { payload_schema: { type: "object", required: ["nothing"] } });
    const disabled = await newJob("Disabled");
    await project.api.patch(`/v1/jobs/${disabled}`, { enabled: false });
    failing("d");
    const workflow = await bench.save([
      { step_ref: "a", compensate_job_id: saga.undo },
      { step_ref: "b", depends_on: ["a"], compensate_job_id: picky },
      { step_ref: "c", depends_on: ["b"], compensate_job_id: disabled },
      { step_ref: "d", depends_on: ["c"] },
    ]);
    const { run, steps } = await bench.run(workflow);
    expect(undone()).toEqual(["a:compensate"]);
    expect(steps.b.compensation_error.code).toBe("payload_invalid");
    expect(steps.c.compensation_error.code).toBe("job_disabled");
    expect(run).toMatchObject({ status: "failed", error_count: 3 });
  });

  it("waits for the steps that still run, and compensates those that complete", async () => {
    const { bench, failing, undone, undo } = saga;
    holdStep(bench, "late");
    failing("bad");
    const workflow = await bench.save([
      { step_ref: "first", compensate_job_id: undo },
      { step_ref: "late", depends_on: ["first"], compensate_job_id: undo },
      { step_ref: "gate", type: "wait_for_event", event_key: "go", depends_on: ["first"] },
      { step_ref: "bad", depends_on: ["first"] },
    ]);
    const { run, steps, statuses } = await bench.run(workflow);
    // Its job run was canceled, and ended as such.
    expect(statuses).toEqual({ first: "completed", late: "canceled", gate: "canceled", bad: "failed" });
    expect(steps.late).toMatchObject({ cause: "step_failed", cause_ref: "bad", compensation_status: null });
    expect(undone()).toEqual(["first:compensate"]);
    expect(run).toMatchObject({ status: "failed", error_count: 1 });
  });

  it("does not apply to a run that completes, even if steps of it failed", async () => {
    const { bench, failing, undone, undo } = saga;
    failing("b");
    const workflow = await bench.save([
      { step_ref: "a", compensate_job_id: undo },
      { step_ref: "b", depends_on: ["a"], on_failure: "continue" },
    ]);
    const { run } = await bench.run(workflow);
    expect([run.status, undone()]).toEqual(["completed", []]);
  });

  it("ends at once if no completed step can be compensated", async () => {
    const { bench, failing, undone, undo, decided } = saga;
    failing("a");
    const { run } = await bench.run(await bench.save([{ step_ref: "a", compensate_job_id: undo }]));
    expect([run.status, undone()]).toEqual(["failed", []]);
    expect(await decided(run.id)).not.toContain("compensate");
  });

  it("is visible in the steps, the graph, explain, and as runs of the workflow run", async () => {
    const { project, bench, failing, steps } = saga;
    failing("ship");
    holdStep(bench, "reserve:compensate");
    const { run, steps: after } = await bench.run(await bench.save(steps()));
    const { body: jobRun } = await project.api.get(`/v1/runs/${after.charge.compensation_run_id}`);
    expect(jobRun).toMatchObject({ workflow_run_id: run.id, step_ref: "charge:compensate", status: "completed" });
    expect(jobRun).toMatchObject({ trigger_type: "workflow", created_by: `workflow_run:${run.id}` });
    const { body: runs } = await project.api.get(`/v1/runs?workflow_run_id=${run.id}&limit=100`);
    const refs = runs.data.map((each: { step_ref: string }) => each.step_ref).toSorted();
    expect(refs).toEqual(["charge", "charge:compensate", "reserve", "reserve:compensate", "ship"]);
    const { body: transitions } = await project.api.get(`/v1/runs/${jobRun.id}/transitions`);
    expect(transitions.data.length).toBeGreaterThan(1);

    const { body: graph } = await project.api.get(`/v1/workflow-runs/${run.id}/graph`);
    expect([graph.status, graph.phase]).toEqual(["running", "compensating"]);
    const charge = graph.nodes.find((node: { step_ref: string }) => node.step_ref === "charge");
    expect(charge).toMatchObject({ compensation_status: "completed", compensation_run_id: jobRun.id });

    const { body } = await project.api.get(`/v1/workflow-runs/${run.id}/explain?decision_type=compensate`);
    const decisions = body.data.map((each: { step_ref: string | null; reason: string }) => [
      each.step_ref,
      each.reason,
    ]);
    expect(decisions).toEqual([
      [null, expect.stringContaining("completed steps are compensated before the run ends as failed")],
      ["charge", "its compensation is started"],
      ["charge", "its compensation completed"],
      ["reserve", "its compensation is started"],
    ]);
  });
});

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { finishStep, holdStep } from "../../../../test/seed/finish-step.ts";
import { makeSaga, type Saga } from "../../../../test/seed/saga.ts";
import { runSql } from "../../../../test/world/database.ts";
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

/** A run whose last step has failed, and whose first compensation is running. */
async function compensating() {
  const { bench, failing, steps } = saga;
  failing("ship");
  holdStep(bench, "charge:compensate");
  return bench.run(await bench.save(steps()));
}

async function finishCompensation(): Promise<void> {
  await finishStep(world, saga.bench, "charge:compensate");
  await world.runUntilIdle();
}

const audits = (id: string) =>
  runSql(world.connection, "select action from audit_events where resource_id = $1 order by id", [id]);

describe("POST /v1/workflow-runs/{workflowRunID}/cancel", () => {
  it("ends the running steps, then compensates the completed ones, then is canceled", async () => {
    const { bench, undone, steps, operate, decided, project } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps()));
    const response = await operate(run.id, "cancel", { reason: "no stock" });
    expect(response.body).toMatchObject({ status: "running", phase: "compensating", error: { message: "no stock" } });
    expect((await bench.read(run.id)).statuses.ship).toBe("running");
    expect(undone()).toEqual([]);
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ status: "canceled", phase: null, error_count: 0 });
    expect(after.run.error).toEqual({ code: "canceled", message: "no stock", by_id: project.key_id });
    expect(after.steps.ship).toMatchObject({ status: "canceled", cause: "workflow_canceled", cause_ref: null });
    expect((await project.api.get(`/v1/runs/${after.steps.ship.run_id}`)).body.status).toBe("canceled");
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
    const decisions = await decided(run.id);
    expect(decisions.indexOf("cancel ship")).toBeLessThan(decisions.indexOf("compensate charge"));
    expect(decisions.filter((each) => each === "end")).toHaveLength(1);
  });

  it("compensates a step that completes before it could be canceled", async () => {
    const { bench, undone, steps, operate } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps()));
    await operate(run.id, "cancel");
    expect(await finishStep(world, bench, "ship")).toBe(200);
    await world.runUntilIdle();
    expect(undone()).toEqual(["ship:compensate", "charge:compensate", "reserve:compensate"]);
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses.ship]).toEqual(["canceled", "completed"]);
  });

  it("changes nothing if the run is already compensating: its end status stays", async () => {
    const { run } = await compensating();
    const { bench, operate, project } = saga;
    const response = await operate(run.id, "cancel", { reason: "again" });
    expect(response).toMatchObject({ status: 200, body: { status: "running", phase: "compensating" } });
    const bulk = await project.api.post("/v1/workflow-runs/bulk-cancel", { workflow_run_ids: [run.id] });
    expect(bulk.body.results).toEqual([{ index: 0, workflow_run_id: run.id, status: "canceled", error: null }]);
    const [batch] = await runSql(world.connection, "select * from batch_operations where id = $1", [
      bulk.body.batch_id,
    ]);
    expect(batch).toMatchObject({ status: "completed" });
    expect(await audits(run.id)).toEqual([]);
    await finishCompensation();
    const after = (await bench.read(run.id)).run;
    expect([after.status, after.error.code]).toEqual(["failed", "step_failed"]);
  });

  it("compensates the steps of a paused run", async () => {
    const { bench, undone, steps, operate } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps()));
    await operate(run.id, "pause");
    await operate(run.id, "cancel");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "canceled", paused_at: null });
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
  });
});

describe("a pause during compensation", () => {
  it("delays the next compensation until the run is resumed", async () => {
    const { run } = await compensating();
    const { bench, operate, undone } = saga;
    expect((await operate(run.id, "pause")).body).toMatchObject({ status: "paused", phase: "compensating" });
    await finishCompensation();
    await world.clock.pass("30s");
    await world.tick("reconcile-workflows");
    await world.runUntilIdle();
    expect(undone()).toEqual(["charge:compensate"]);
    await operate(run.id, "resume");
    await world.runUntilIdle();
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
    expect((await bench.read(run.id)).run).toMatchObject({ status: "failed", phase: null });
  });
});

describe("timeout_secs of a workflow", () => {
  it("compensates a run that took too long", async () => {
    const { bench, steps, undone } = saga;
    holdStep(bench, "ship");
    const { run } = await bench.run(await bench.save(steps(), { timeout_secs: 30 }));
    await world.clock.pass("31s");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ status: "timed_out", error: { code: "workflow_timeout" } });
    expect(after.steps.ship).toMatchObject({ status: "canceled", cause: "workflow_timed_out" });
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
  });

  it("does not apply while the run compensates", async () => {
    const { bench, failing, steps, undone } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const { run } = await bench.run(await bench.save(steps(), { timeout_secs: 30 }));
    expect(run.deadline).toBeNull();
    await world.clock.pass("40s");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run).toMatchObject({ status: "running", phase: "compensating" });
    await finishCompensation();
    expect((await bench.read(run.id)).run.status).toBe("failed");
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
  });
});

describe("a run whose steps were compensated", () => {
  const retries = {
    "workflow-run retry": "retry",
    "step retry": "steps/ship/retry",
    "replay-subtree": "steps/ship/replay-subtree",
    skip: "steps/ship/skip",
  };

  it.each(Object.entries(retries))("redoes them after a %s", async (_, operation) => {
    const { bench, failing, steps, operate } = saga;
    failing("ship");
    const { run, steps: before } = await bench.run(await bench.save(steps()));
    expect(before.reserve).toMatchObject({ generation: 1, compensation_status: "completed" });
    bench.onDispatch("ship", () => ({}));
    expect((await operate(run.id, operation)).status).toBe(200);
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ status: "completed", phase: null, error: null, error_count: 0 });
    const nothing = { compensation_status: null, compensation_run_id: null, compensated_at: null };
    for (const ref of ["reserve", "charge"]) {
      expect(after.steps[ref]).toMatchObject({ status: "completed", generation: 2, ...nothing });
    }
    expect(bench.refs().filter((ref) => ref === "reserve" || ref === "charge")).toHaveLength(4);
  });

  it("compensates them again when it fails again; a step whose compensation failed is not redone, and its compensation is retried", async () => {
    const { bench, failing, steps, operate, undone } = saga;
    failing("ship", "charge:compensate");
    const { run } = await bench.run(await bench.save(steps()));
    await operate(run.id, "retry");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect(after.run).toMatchObject({ status: "failed", error_count: 2 });
    expect([after.steps.reserve.generation, after.steps.charge.generation]).toEqual([2, 1]);
    // The last to complete comes first: `charge` had completed before `reserve` was redone.
    const [charge, reserve] = ["charge:compensate", "reserve:compensate"];
    expect(undone()).toEqual([charge, reserve, reserve, charge]);
  });

  it.each(Object.entries(retries))("409 for a %s while they are being compensated", async (_, operation) => {
    const { run } = await compensating();
    const response = await saga.operate(run.id, operation);
    expect(response).toMatchObject({ status: 409, body: { code: "workflow_run_compensating" } });
    expect(await audits(run.id)).toEqual([]);
  });
});

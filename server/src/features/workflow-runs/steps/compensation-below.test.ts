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

const payloadOf = (ref: string) =>
  saga.bench.endpoint.dispatches.find(({ body }) => body.step_ref === ref)?.body.payload as unknown;

const aMap = () => ({
  step_ref: "each",
  type: "map",
  items: "{{payload.list}}",
  job_id: saga.bench.job_id,
  compensate_job_id: saga.undo,
});

describe("the compensation of a map", () => {
  it("receives its items and the list of their outputs", async () => {
    const { bench, failing, undone } = saga;
    failing("last");
    const workflow = await bench.save([aMap(), { step_ref: "last", depends_on: ["each"] }]);
    const { run } = await bench.run(workflow, { payload: { list: [1, 2] } });
    expect([run.status, undone()]).toEqual(["failed", ["each:compensate"]]);
    expect(payloadOf("each:compensate")).toEqual({
      input: [1, 2],
      output: [{ step: "each[0]" }, { step: "each[1]" }],
    });
  });

  it("lets a retry redo all of its items", async () => {
    const { bench, failing, operate } = saga;
    failing("last");
    const workflow = await bench.save([aMap(), { step_ref: "last", depends_on: ["each"] }]);
    const { run } = await bench.run(workflow, { payload: { list: [1, 2] } });
    bench.onDispatch("last", () => ({}));
    await operate(run.id, "retry");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect(bench.refs().filter((ref) => ref.startsWith("each["))).toHaveLength(4);
  });

  it("if the map fails, receives the completed items, newest first, before the earlier steps are compensated", async () => {
    const { bench, failing, undone, undo } = saga;
    failing("each[2]");
    const first = { step_ref: "first", compensate_job_id: undo };
    const workflow = await bench.save([first, { ...aMap(), max_parallel: 1, depends_on: ["first"] }]);
    const { run, statuses, steps } = await bench.run(workflow, { payload: { list: ["x", "y", "z"] } });
    expect([run.status, statuses]).toEqual(["failed", { first: "completed", each: "failed" }]);
    expect(undone()).toEqual(["each:compensate", "first:compensate"]);
    expect(payloadOf("each:compensate")).toEqual({
      input: ["y", "x"],
      output: [{ step: "each[1]" }, { step: "each[0]" }],
    });
    expect(steps.each).toMatchObject({ compensation_status: "completed" });
  });

  it("has nothing to do if the first item fails", async () => {
    const { bench, failing, undone } = saga;
    failing("each[0]");
    const { run } = await bench.run(await bench.save([aMap()]), { payload: { list: [1] } });
    expect([run.status, undone()]).toEqual(["failed", []]);
  });

  it("lets a retry redo all items of a failed and compensated map", async () => {
    const { bench, failing, operate } = saga;
    failing("each[1]");
    const workflow = await bench.save([{ ...aMap(), max_parallel: 1 }]);
    const { run } = await bench.run(workflow, { payload: { list: [1, 2] } });
    bench.onDispatch("each[1]", () => ({}));
    await operate(run.id, "retry");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect(bench.refs().filter((ref) => ref.startsWith("each[0]"))).toHaveLength(2);
  });

  it("compensates the completed items of a map that is canceled halfway, and waits for its running items", async () => {
    const { bench, undone, operate, undo } = saga;
    holdStep(bench, "each[1]");
    const workflow = await bench.save([
      { step_ref: "first", compensate_job_id: undo },
      { ...aMap(), depends_on: ["first"] },
    ]);
    const { run } = await bench.run(workflow, { payload: { list: [1, 2] } });
    await operate(run.id, "cancel");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["canceled", { first: "completed", each: "canceled" }]);
    expect(undone()).toEqual(["each:compensate", "first:compensate"]);
    expect(payloadOf("each:compensate")).toEqual({ input: [1], output: [{ step: "each[0]" }] });
    const { body: step } = await saga.project.api.get(`/v1/workflow-runs/${run.id}/steps/each`);
    expect(step.items).toEqual({ total: 2, pending: 0, running: 0, completed: 1, failed: 0, canceled: 1 });
  });

  it("compensates a map whose last item completes before it could be canceled", async () => {
    const { bench, undone, operate } = saga;
    holdStep(bench, "each[0]");
    const { run } = await bench.run(await bench.save([aMap()]), { payload: { list: [1] } });
    await operate(run.id, "cancel");
    await finishStep(world, bench, "each[0]");
    await world.runUntilIdle();
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses, undone()]).toEqual([
      "canceled",
      { each: "completed" },
      ["each:compensate"],
    ]);
  });
});

describe("the compensation of a sub-workflow", () => {
  const sub = (workflow_id: string, fields: object = {}) => ({
    step_ref: "sub",
    type: "sub_workflow",
    workflow_id,
    ...fields,
  });

  it("receives the sub-workflow's input and output", async () => {
    const { bench, failing, undone, undo, steps } = saga;
    failing("last");
    const child = await bench.save(steps(), { name: "Child" });
    const workflow = await bench.save([
      sub(child, { payload: { sku: "{{payload.sku}}" }, compensate_job_id: undo }),
      { step_ref: "last", depends_on: ["sub"] },
    ]);
    const { run, steps: after } = await bench.run(workflow, { payload: { sku: "s-1" } });
    expect([run.status, undone()]).toEqual(["failed", ["sub:compensate"]]);
    expect(payloadOf("sub:compensate")).toEqual({ input: { sku: "s-1" }, output: after.sub.output });
  });

  it("while it runs: compensates the sub-workflow first, then its parent", async () => {
    const { bench, undone, undo, steps, operate } = saga;
    holdStep(bench, "ship");
    const child = await bench.save(steps(), { name: "Child" });
    const workflow = await bench.save([
      { step_ref: "first", compensate_job_id: undo },
      sub(child, { depends_on: ["first"], compensate_job_id: undo }),
    ]);
    const { run, steps: before } = await bench.run(workflow);
    await operate(run.id, "cancel");
    await world.runUntilIdle();
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate", "first:compensate"]);
    const after = await bench.read(run.id);
    expect([after.run.status, after.statuses]).toEqual(["canceled", { first: "completed", sub: "canceled" }]);
    expect((await bench.read(before.sub.child_workflow_run_id)).run.status).toBe("canceled");
  });

  it("if it fails: its parent gets the result when everything is compensated", async () => {
    const { bench, failing, undone, steps } = saga;
    failing("ship");
    holdStep(bench, "charge:compensate");
    const child = await bench.save(steps(), { name: "Child" });
    const { run } = await bench.run(await bench.save([sub(child)]));
    expect((await bench.read(run.id)).statuses).toEqual({ sub: "running" });
    await finishStep(world, bench, "charge:compensate");
    await world.runUntilIdle();
    expect(undone()).toEqual(["charge:compensate", "reserve:compensate"]);
    expect((await bench.read(run.id)).run.status).toBe("failed");
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  bench = await workflowBench(world, project);
  bench.onDispatch("reserve", ({ body }) => ({ body: { reservation: `r-${body.payload.order.id}`, items: [1, 2] } }));
  bench.onDispatch("charge", ({ body }) => ({ body: { charged: body.payload.amount, currency: "EUR" } }));
  bench.onDispatch("ship", ({ body }) => ({ body: { parcel: `p-${body.payload.order.id}` } }));
});

const ORDER = [
  { step_ref: "reserve" },
  {
    step_ref: "payment",
    type: "wait_for_event",
    event_key: "paid:{{payload.order.id}}",
    timeout_secs: 604_800,
    depends_on: ["reserve"],
  },
  { step_ref: "invoice", depends_on: ["payment"], condition: "payload.order.wants_invoice" },
  {
    step_ref: "ship",
    depends_on: ["payment", "reserve"],
    payload: { paid: "{{parent_outputs.payment.charged}}", from: "{{parent_outputs.reserve.reservation}}" },
  },
  {
    step_ref: "release",
    type: "approval",
    message: "Hand over {{parent_outputs.ship.parcel}}?",
    timeout_secs: 86_400,
    depends_on: ["ship", "invoice"],
  },
  { step_ref: "cool_down", type: "sleep", sleep_duration: "1h30m", depends_on: ["release"] },
  { step_ref: "notify", depends_on: ["cool_down"], payload: { parcel: "{{parent_outputs.ship.parcel}}" } },
];

const PAYMENT = [{ step_ref: "charge", event_emit_key: "paid:{{payload.order_id}}" }];

describe("an order, from the reservation to the shipping message", () => {
  it("W4 one workflow resumes another, and each wait lasts until its event arrives", async () => {
    const [orders, payments] = [await bench.save(ORDER), await bench.save(PAYMENT)];
    const order = await bench.run(orders, { payload: { order: { id: "A/7", wants_invoice: false } } });
    expect(order.statuses).toMatchObject({ reserve: "completed", payment: "waiting", ship: "pending" });
    expect(order.run.status).toBe("running");
    const waiting = await project.api.get(`/v1/events/${encodeURIComponent("paid:A/7")}`);
    expect(waiting.body).toMatchObject({ status: "waiting", workflow_run_id: order.run.id });

    await world.clock.pass("48h");
    await bench.run(payments, { payload: { order_id: "A/7", amount: 99 } });
    const paid = await bench.read(order.run.id);
    expect(paid.statuses).toMatchObject({ payment: "completed", invoice: "skipped", ship: "completed" });
    expect(paid.steps.payment.output).toEqual({ charged: 99, currency: "EUR" });
    const shipped = bench.endpoint.dispatches.find((dispatch) => dispatch.body.step_ref === "ship");
    expect(shipped?.body).toMatchObject({
      payload: { paid: 99, from: "r-A/7", order: { id: "A/7" } },
      parent_outputs: { payment: { charged: 99, currency: "EUR" }, reserve: { items: [1, 2] } },
    });

    expect(paid.statuses.release).toBe("waiting");
    const approved = await project.api.post(`/v1/workflow-runs/${order.run.id}/steps/release/approve`, {
      comment: "go",
    });
    expect(approved.status).toBe(200);
    await world.runUntilIdle();
    expect((await bench.read(order.run.id)).statuses).toMatchObject({ release: "completed", cool_down: "waiting" });

    await world.clock.pass("1h29m");
    await world.runUntilIdle();
    expect((await bench.read(order.run.id)).statuses.cool_down).toBe("waiting");
    await world.clock.pass("1m1s");
    await world.runUntilIdle();
    const done = await bench.read(order.run.id);
    expect(done.statuses).toMatchObject({ cool_down: "completed", notify: "completed" });
    expect(done.run).toMatchObject({ status: "completed", error_count: 0 });
    expect(bench.endpoint.dispatches.at(-1)?.body.payload).toMatchObject({ parcel: "p-A/7" });

    const explained = await project.api.get(`/v1/workflow-runs/${order.run.id}/explain?limit=100`);
    const types = explained.body.data.map((each: { decision_type: string }) => each.decision_type);
    for (const type of ["start", "wait", "event", "condition", "complete", "approve", "end"])
      expect(types).toContain(type);
  });
});

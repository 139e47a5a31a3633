import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "../src/define-event.ts";
import { defineJob } from "../src/define-job.ts";
import { defineWorkflow } from "../src/workflow/define-workflow.ts";

const validate = defineJob({
  id: "validate",
  schema: z.object({ orderId: z.string() }),
  run: async ({ orderId }) => ({ orderId, total: 12, lines: [{ sku: "a" }] }),
});
const charge = defineJob({
  id: "charge",
  schema: z.object({ amount: z.number(), user: z.string() }),
  run: async () => ({ receipt: "r1" }),
});
const refund = defineJob({ id: "refund", run: () => undefined });
const pack = defineJob({ id: "pack", schema: z.object({ sku: z.string(), nth: z.number() }), run: () => ({ box: 1 }) });
const greet = defineJob({ id: "greet", schema: z.object({ userId: z.string() }), run: () => "hello" });
const approved = defineEvent({ key: (id: string) => `approve:${id}`, schema: z.object({ by: z.string() }) });

const Input = z.object({ userId: z.string(), order: z.object({ id: z.string() }), notes: z.array(z.string()) });
const begin = () => defineWorkflow("order", { schema: Input });
const validated = () =>
  begin().job("validate", validate, { payload: ({ payload }) => ({ orderId: payload.order.id }) });

describe("defineWorkflow", () => {
  it("prints the steps for the API without omitted options", () => {
    const order = validated()
      .waitForEvent("approval", {
        schema: approved.schema,
        after: ["validate"],
        key: ({ payload }) => approved(payload.order.id).key,
        timeout: "24h",
        onFailure: "skip_dependents",
        notifyUrl: "https://example.com/hook",
      })
      .job("charge", charge, {
        after: ["validate", "approval"],
        payload: ({ payload, out }) => ({
          amount: out.validate.total,
          user: `${payload.userId} by ${out.approval.by}`,
        }),
        emit: ({ payload, output }) => `paid:${payload.order.id}:${output.receipt}`,
        emitBuffer: "10m",
        timeout: "30s",
        maxAttempts: 5,
        priority: 3,
        concurrencyKey: ({ payload }) => payload.userId,
        compensate: refund,
        condition: "parent_outputs.approval.by != 'nobody'",
      })
      .sleep("cooldown", "1h30m", { after: ["charge"] })
      .approval("ok", {
        after: ["cooldown"],
        approvers: ["ann"],
        message: ({ payload }) => `Ship ${payload.order.id}?`,
        timeout: "48h",
      })
      .map("pack", pack, {
        after: ["validate"],
        items: ({ out }) => out.validate.lines,
        payload: ({ item, index }) => ({ sku: item.sku, nth: index }),
        maxParallel: 50,
        tolerateFailures: true,
      })
      .job("greet", greet);

    expect(order.steps).toEqual([
      { step_ref: "validate", job_id: "validate", payload: { orderId: "{{payload.order.id}}" } },
      {
        step_ref: "approval",
        type: "wait_for_event",
        depends_on: ["validate"],
        event_key: "approve:{{payload.order.id}}",
        timeout_secs: 86_400,
        on_failure: "skip_dependents",
        notify_url: "https://example.com/hook",
      },
      {
        step_ref: "charge",
        job_id: "charge",
        depends_on: ["validate", "approval"],
        payload: {
          amount: "{{parent_outputs.validate.total}}",
          user: "{{payload.userId}} by {{parent_outputs.approval.by}}",
        },
        event_emit_key: "paid:{{payload.order.id}}:{{output.receipt}}",
        event_emit_buffer_secs: 600,
        timeout_secs: 30,
        max_attempts: 5,
        priority: 3,
        concurrency_key: "{{payload.userId}}",
        compensate_job_id: "refund",
        condition: "parent_outputs.approval.by != 'nobody'",
      },
      { step_ref: "cooldown", type: "sleep", sleep_duration: "1h30m", depends_on: ["charge"] },
      {
        step_ref: "ok",
        type: "approval",
        depends_on: ["cooldown"],
        approvers: ["ann"],
        message: "Ship {{payload.order.id}}?",
        timeout_secs: 172_800,
      },
      {
        step_ref: "pack",
        type: "map",
        job_id: "pack",
        depends_on: ["validate"],
        items: "{{parent_outputs.validate.lines}}",
        payload: { sku: "{{item.sku}}", nth: "{{index}}" },
        max_parallel: 50,
        tolerate_failures: true,
      },
      { step_ref: "greet", job_id: "greet" },
    ]);
  });

  it("prints sub-workflows and maps over them", () => {
    const child = defineWorkflow("child", { schema: z.object({ userId: z.string() }) }).job("greet", greet);
    const parent = begin()
      .subWorkflow("same", child)
      .subWorkflow("other", child, { payload: ({ payload }) => ({ userId: payload.order.id }), after: ["same"] })
      .mapWorkflow("each", child, { items: ({ payload }) => payload.notes, payload: ({ item }) => ({ userId: item }) });
    expect(parent.steps).toEqual([
      { step_ref: "same", type: "sub_workflow", workflow_id: "child" },
      {
        step_ref: "other",
        type: "sub_workflow",
        workflow_id: "child",
        depends_on: ["same"],
        payload: { userId: "{{payload.order.id}}" },
      },
      {
        step_ref: "each",
        type: "map",
        workflow_id: "child",
        items: "{{payload.notes}}",
        payload: { userId: "{{item}}" },
      },
    ]);
  });

  it("prints the workflow with its settings, and the graph", () => {
    const order = defineWorkflow("order", {
      schema: z.object({ userId: z.string() }),
      name: "Order",
      timeout: "2h",
      maxParallelSteps: 4,
      schedule: { cron: "@hourly", timezone: "Europe/Lisbon" },
      onFailure: refund,
      cancelOn: ["order.{{payload.userId}}.canceled"],
      tags: ["eu"],
    })
      .job("greet", greet)
      .sleep("rest", "30s", { after: ["greet"] });
    expect(order.toJSON()).toEqual({
      name: "Order",
      slug: "order",
      steps: order.steps,
      payload_schema: expect.objectContaining({ type: "object", required: ["userId"] }),
      timeout_secs: 7_200,
      max_parallel_steps: 4,
      cron: "@hourly",
      timezone: "Europe/Lisbon",
      on_failure_job_id: "refund",
      cancel_on: [{ event_key: "order.{{payload.userId}}.canceled" }],
      tags: ["eu"],
    });
    expect(order.toMermaid()).toBe('graph TD\n  s0["greet"]\n  s1["rest (sleep)"]\n  s0 --> s1');
  });

  it("returns a new workflow from each call, so that a partial one can be extended twice", () => {
    const base = validated();
    expect(base.sleep("a", "1s").steps).toHaveLength(2);
    expect(base.steps).toHaveLength(1);
  });

  it("explains that run-time values cannot be computed with, spread or looped over", () => {
    const on = (use: (payload: z.infer<typeof Input>) => unknown) => () =>
      begin().job("x", refund, { payload: ({ payload }) => use(payload) });
    expect(on((payload) => +payload.userId)).toThrow(/{{payload.userId}} is a value/);
    expect(on((payload) => ({ ...payload.order }))).toThrow(/not compute with it, call it, spread/);
    expect(on((payload) => [...payload.notes])).toThrow(/use a map step for lists/);
    expect(on((payload) => payload.notes.map((note) => note))).toThrow(/{{payload.notes.map}}/);
    expect(on((payload) => (payload as unknown as Record<string, string>)["a b"])).toThrow(
      /cannot read the field "a b"/,
    );
  });

  it("rejects an invalid slug", () => {
    expect(() => defineWorkflow("Not a slug")).toThrow(/lower-case letters/);
    expect(() => defineJob({ id: "-x", run: () => 1 })).toThrow(/lower-case letters/);
  });
});

/** Tested by the compiler: each of these must fail to compile. */
describe("the types of defineWorkflow", () => {
  it("rejects an unknown dependency", () => {
    // @ts-expect-error there is no step "validat"
    validated().sleep("rest", "1s", { after: ["validat"] });
    // @ts-expect-error nor in a workflow without steps
    begin().sleep("rest", "1s", { after: ["anything"] });
  });

  it("rejects a wrong output type", () => {
    // @ts-expect-error total is a number, user a string
    validated().job("charge", charge, {
      after: ["validate"],
      payload: ({ out }) => ({ amount: out.validate.total, user: out.validate.total }),
    });
    validated().job("charge", charge, {
      after: ["validate"],
      // @ts-expect-error the output has no field sum
      payload: ({ out, payload }) => ({ amount: out.validate.sum, user: payload.userId }),
    });
  });

  it("rejects the output of a step that is not a dependency", () => {
    validated().job("charge", charge, {
      // @ts-expect-error validate is not in after
      payload: ({ out, payload }) => ({ amount: out.validate.total, user: payload.userId }),
    });
  });

  it("rejects an invalid duration", () => {
    // @ts-expect-error days are not a unit
    begin().sleep("rest", "3d");
    // @ts-expect-error nor are words
    begin().sleep("rest", "soon");
    // @ts-expect-error numbers must be whole
    begin().sleep("rest", "1.5h");
    begin().sleep("rest", "1h30m");
  });

  it("rejects a duplicate ref at compile time and at run time", () => {
    expect(() =>
      // @ts-expect-error there is already a step validate
      validated().sleep("validate", "1s"),
    ).toThrow(/already has a step validate/);
  });

  it("requires a payload for a job that does not accept the workflow's payload", () => {
    // @ts-expect-error charge requires an amount
    begin().job("charge", charge);
    begin().job("greet", greet);
    // @ts-expect-error orderId is missing
    begin().job("validate", validate, { payload: () => ({}) });
  });

  it("types an event's payload by its schema", () => {
    begin()
      .waitForEvent("approval", { schema: approved.schema, key: () => "k" })
      // @ts-expect-error there is no field "who"
      .job("greet", greet, { after: ["approval"], payload: ({ out }) => ({ userId: out.approval.who }) });
  });
});

import { describe, expect, it, test } from "vitest";
import { approvalStep, jobStep, sleepStep, waitStep } from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import { renderEmitKey } from "../progress/apply-results.ts";
import { renderStep } from "./plan-start.ts";

const scope = {
  payload: {
    user_id: "u-1",
    order: { id: 42, lines: [1, 2] },
    note: null,
    long: "x".repeat(600),
    dot: ".",
    tab: "a\tb",
  },
  parent_outputs: { charge: { id: "ch_1", amount: 7 }, skipped: null },
};

function payloadOf(payload: unknown, of = scope) {
  const rendering = synchronous(renderStep)(jobStep("s", { payload }), of);
  if (!rendering.ok) return rendering.error;
  return rendering.rendered.type === "job" ? rendering.rendered.payload : undefined;
}

describe("W5 the payload of a job step", () => {
  it("is the run's if the step has none", () => {
    expect(payloadOf(null)).toBe(scope.payload);
  });

  it("is merged over the run's, field by field and not deeper", () => {
    expect(payloadOf({ order: { charge: "{{parent_outputs.charge.id}}" }, extra: true })).toEqual({
      ...scope.payload,
      order: { charge: "ch_1" },
      extra: true,
    });
  });

  it.each([
    ["a list", ["{{payload.order.id}}"], [42]],
    ["a text", "order {{payload.order.id}}", "order 42"],
    ["a number", 5, 5],
    ["a template of a list", "{{payload.order.lines}}", [1, 2]],
  ])("is replaced by %s", (_, payload, expected) => {
    expect(payloadOf(payload)).toEqual(expected);
  });

  it("is merged as well if a whole template renders to an object", () => {
    expect(payloadOf("{{parent_outputs.charge}}")).toEqual({ ...scope.payload, id: "ch_1", amount: 7 });
  });

  it("replaces a run's payload that is not an object", () => {
    expect(payloadOf({ a: 1 }, { ...scope, payload: [1] as never })).toEqual({ a: 1 });
  });

  it("keeps JSON types, and gives null for a parent without output", () => {
    const template = {
      n: "{{payload.order.id}}",
      none: "{{parent_outputs.skipped}}",
      deep: "{{parent_outputs.skipped.x}}",
    };
    expect(payloadOf(template)).toMatchObject({ n: 42, none: null, deep: null });
  });

  it("keeps a field named __proto__ as data", () => {
    const rendered = payloadOf(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(Object.keys(rendered as object)).toContain("__proto__");
    expect((rendered as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("W5 a template that cannot be rendered fails the step with its code and path", () => {
  test.each([
    [
      jobStep("s", { payload: { a: ["{{payload.nothing.id}}"] } }),
      "template_path_missing",
      "payload.a[0] cannot be rendered: payload.nothing.id is missing: payload is an object without nothing",
    ],
    [
      jobStep("s", { payload: { a: "{{parent_outputs.other.id}}" } }),
      "template_path_missing",
      "payload.a cannot be rendered: parent_outputs.other.id is missing: parent_outputs is an object without other",
    ],
    [
      jobStep("s", { concurrency_key: "user-{{payload.note}}" }),
      "template_null_in_text",
      "concurrency_key cannot be rendered: payload.note is null, which is not text",
    ],
    [
      waitStep("s", { event_key: "{{parent_outputs.skipped.id}}" }),
      "template_null_in_text",
      "event_key cannot be rendered: parent_outputs.skipped.id is null, which is not text",
    ],
    [
      approvalStep("s", { message: "ship {{payload.what}}?" }),
      "template_path_missing",
      "message cannot be rendered: payload.what is missing: payload is an object without what",
    ],
    [
      jobStep("s", { concurrency_key: "{{payload.long}}" }),
      "invalid_concurrency_key",
      "the rendered concurrency_key must have 1 to 256 characters",
    ],
  ])("%#: %o", (step, code, message) => {
    expect(synchronous(renderStep)(step, scope)).toEqual({ ok: false, error: { code, message } });
  });
});

describe("T11 a rendered event key is checked like any other", () => {
  it.each(["{{payload.long}}", "{{payload.dot}}", "{{payload.tab}}", ""])("%s", (event_key) => {
    const rendering = synchronous(renderStep)(waitStep("s", { event_key }), scope);
    expect(rendering).toMatchObject({
      ok: false,
      error: { code: "invalid_event_key", message: expect.stringMatching(/^the rendered event_key /) },
    });
  });
});

describe("what a step needs to start", () => {
  it.each([
    [
      jobStep("s", { concurrency_key: "{{payload.order.id}}" }),
      { type: "job", payload: scope.payload, parent_outputs: scope.parent_outputs, concurrency_key: "42" },
    ],
    [waitStep("s", { event_key: "order:{{payload.order.id}}" }), { type: "wait_for_event", event_key: "order:42" }],
    [sleepStep("s", { sleep_duration: "1h30m" }), { type: "sleep", secs: 5400 }],
    [approvalStep("s"), { type: "approval", message: null }],
    [approvalStep("s", { message: "{{payload.user_id}}?" }), { type: "approval", message: "u-1?" }],
  ])("%#: %o", (step, rendered) => {
    expect(synchronous(renderStep)(step, scope)).toEqual({ ok: true, rendered });
  });

  it("stores only the beginning of an approval's message, without characters that cannot be stored", () => {
    const long = { ...scope, payload: { text: `${"x".repeat(9_998)}😀${"x".repeat(100_000)}` } };
    const rendering = synchronous(renderStep)(approvalStep("s", { message: "{{payload.text}}" }), long);
    const message = `${"x".repeat(9_998)}\ufffd…`;
    expect(rendering).toEqual({ ok: true, rendered: { type: "approval", message } });
  });

  it("a duration that was never checked fails the step", () => {
    const rendering = synchronous(renderStep)(sleepStep("s", { sleep_duration: "soon" }), scope);
    expect(rendering).toMatchObject({ ok: false, error: { code: "invalid_duration" } });
  });
});

describe("W4 the key that a step emits", () => {
  const done = { ...scope, output: { ref: "r-9" } };

  it("reads the payload, the parents' outputs and the step's own", () => {
    const key = renderEmitKey("paid:{{payload.order.id}}:{{parent_outputs.charge.id}}:{{output.ref}}", done);
    expect(key).toEqual({ ok: true, event_key: "paid:42:ch_1:r-9" });
  });

  it.each([
    ["paid:{{output.nothing}}", "template_path_missing"],
    ["{{payload.tab}}", "invalid_event_key"],
  ])("%s is refused with its code", (template, code) => {
    expect(renderEmitKey(template, done)).toMatchObject({ ok: false, error: { code } });
  });
});

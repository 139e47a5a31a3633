import { describe, expect, it, test } from "vitest";
import { jobStep, stateOf, workflow } from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import { evaluateCondition } from "./plan-start.ts";
import { planGraph as planGraphGenerator } from "./planner.ts";

const planGraph = synchronous(planGraphGenerator);

const scope = {
  payload: { total: 120, items: ["a"] },
  parent_outputs: { charge: { ok: true }, skipped: null },
  steps: { charge: { status: "completed" }, "odd-name": { status: "failed" } },
};

describe("W2 a condition reads payload, parent_outputs and the status of steps", () => {
  test.each([
    ["payload.total > 100", true],
    ["payload.total > 200", false],
    ["parent_outputs.charge.ok", true],
    ["parent_outputs.skipped == null", true],
    ["steps.charge.status == 'completed'", true],
    ["steps['odd-name'].status == 'failed'", true],
    ["payload.items.exists(item, item == 'b')", false],
  ])("%s is %s", (source, value) => {
    expect(evaluateCondition(source, scope)).toEqual({ ok: true, value });
  });

  test.each([
    ["payload.nothing > 1", "condition `payload.nothing > 1` cannot be evaluated: No such key: nothing"],
    ["payload.total", "condition `payload.total` must return true or false, but returned number"],
    ["payload.total + 1", "condition `payload.total + 1` must return true or false, but returned number"],
    ["'text'", "condition `'text'` must return true or false, but returns string"],
    ["unheard > 1", "condition `unheard > 1` cannot be evaluated: Unknown variable: unheard"],
  ])("%s fails", (source, message) => {
    expect(evaluateCondition(source, scope)).toEqual({ ok: false, error: { code: "condition_failed", message } });
    // And again, from the cache.
    expect(evaluateCondition(source, scope)).toMatchObject({ ok: false });
  });

  it("is shortened for display", () => {
    const source = `payload.nothing == '${"x".repeat(500)}'`;
    const result = evaluateCondition(source, scope);
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringMatching(/x…` cannot be evaluated/) } });
  });
});

describe("what a condition does to its step", () => {
  function planWith(condition: string, rest: Parameters<typeof jobStep>[1] = {}) {
    const definition = workflow([jobStep("a"), jobStep("b"), jobStep("s", { depends_on: ["a"], condition, ...rest })]);
    const state = stateOf(
      definition,
      { a: "completed", b: "completed" },
      { payload: { total: 120 }, outputs: { a: { n: 1 }, b: { n: 2 } } },
    );
    return planGraph(definition, state);
  }

  it("true: it starts, and the reason says so", () => {
    expect(planWith("payload.total > 100").steps).toMatchObject([
      { kind: "start", condition: true, reason: "a is done; condition `payload.total > 100` is true" },
    ]);
  });

  it("false: it is skipped for its condition", () => {
    expect(planWith("payload.total > 200").steps).toEqual([
      {
        kind: "skip",
        step_ref: "s",
        cause: "condition",
        cause_ref: null,
        reason: "condition `payload.total > 200` is false",
      },
    ]);
  });

  it("an error: it fails with condition_failed and follows its on_failure", () => {
    const { steps, run } = planWith("payload.nothing", { on_failure: "continue" });
    expect(steps).toMatchObject([{ kind: "fail", error: { code: "condition_failed" } }]);
    expect(run).toEqual({ kind: "complete", error_count: 1 });
    expect(planWith("payload.nothing").run).toMatchObject({ kind: "fail", step_ref: "s" });
  });

  it("sees only steps that have certainly ended before: the status of another branch would depend on timing", () => {
    expect(planWith("steps.a.status == 'completed' && parent_outputs.a.n == 1").steps).toMatchObject([
      { kind: "start" },
    ]);
    expect(planWith("steps.b.status == 'completed'").steps).toMatchObject([{ error: { code: "condition_failed" } }]);
    expect(planWith("parent_outputs.b.n == 2").steps).toMatchObject([{ error: { code: "condition_failed" } }]);
  });
});

import { describe, expect, it } from "vitest";
import { jobStep, sleepStep, waitStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { StepDefinition, WorkflowDefinition } from "./definition.ts";
import { type AssumedOutcome, simulateRun as simulateRunGenerator } from "./simulate-run.ts";

const simulateRun = synchronous(simulateRunGenerator);

const after = (...depends_on: string[]) => ({ depends_on });

type Given = { payload?: unknown; outcomes?: Record<string, AssumedOutcome>; rest?: Partial<WorkflowDefinition> };

function simulate(steps: StepDefinition[], { payload = {}, outcomes = {}, rest = {} }: Given = {}) {
  const run = simulateRun(workflow(steps, rest), payload, new Map(Object.entries(outcomes)));
  const statuses = Object.fromEntries(run.steps.map(({ step_ref, status }) => [step_ref, status]));
  return { ...run, statuses, byRef: new Map(run.steps.map((step) => [step.step_ref, step])) };
}

describe("simulateRun", () => {
  it("W9 starts steps round by round until all are done", () => {
    const steps = [jobStep("c", after("a", "b")), jobStep("a"), sleepStep("b"), waitStep("d", after("b"))];
    const { status, order, byRef } = simulate(steps);
    expect([status, order]).toEqual(["completed", ["a", "b", "c", "d"]]);
    expect(["a", "b", "c", "d"].map((ref) => byRef.get(ref)?.round)).toEqual([1, 1, 2, 2]);
  });

  it("W9 takes the branch that the payload selects", () => {
    const steps = [
      jobStep("big", { condition: "payload.total > 100" }),
      jobStep("small", { condition: "payload.total <= 100" }),
      jobStep("end", after("big", "small")),
    ];
    const { order, byRef } = simulate(steps, { payload: { total: 5 } });
    expect(order).toEqual(["small", "end"]);
    expect(byRef.get("big")).toMatchObject({ status: "skipped", cause: "condition", condition: false, round: null });
    expect(byRef.get("small")).toMatchObject({ status: "completed", condition: true });
    expect(simulate(steps, { payload: { total: 101 } }).order).toEqual(["big", "end"]);
  });

  it("W9 takes the branch that an assumed output or outcome selects", () => {
    const steps = [
      jobStep("charge", { on_failure: "continue" }),
      jobStep("ship", { ...after("charge"), condition: 'steps.charge.status == "completed"' }),
      jobStep("gift", { ...after("charge"), condition: "parent_outputs.charge != null && parent_outputs.charge.vip" }),
    ];
    expect(simulate(steps, { outcomes: { charge: { output: { vip: true } } } }).order).toEqual([
      "charge",
      "ship",
      "gift",
    ]);
    const failed = simulate(steps, { outcomes: { charge: { status: "failed" } } });
    expect([failed.status, failed.error_count, failed.order]).toEqual(["completed", 1, ["charge"]]);
  });

  it("W9 fails with a step under fail_workflow, and cancels steps that had not started", () => {
    const steps = [jobStep("a"), jobStep("b", after("a")), jobStep("c", after("b"))];
    const run = simulate(steps, { outcomes: { b: { status: "failed" } } });
    expect(run).toMatchObject({ status: "failed", error: { code: "step_failed" }, error_count: 1, order: ["a", "b"] });
    expect(run.statuses).toEqual({ a: "completed", b: "failed", c: "canceled" });
    expect(run.byRef.get("c")).toMatchObject({ cause: "step_failed", cause_ref: "b" });
  });

  it("W9 skips the dependents of a failure under skip_dependents", () => {
    const steps = [jobStep("a", { on_failure: "skip_dependents" }), jobStep("b", after("a")), jobStep("c", after("b"))];
    const { status, statuses, byRef } = simulate(steps, { outcomes: { a: { status: "failed" } } });
    expect([status, statuses]).toEqual(["completed", { a: "failed", b: "skipped", c: "skipped" }]);
    expect(byRef.get("c")).toMatchObject({ cause: "dependency", cause_ref: "a" });
  });

  it("W9 fails a step that renders into text an output for which none was assumed", () => {
    const reading = { ...after("a"), payload: { id: "order-{{parent_outputs.a.id}}" } };
    const steps = [jobStep("a"), jobStep("b", reading)];
    expect(simulate(steps).byRef.get("b")).toMatchObject({ status: "failed", error: { code: expect.any(String) } });
    expect(simulate(steps, { outcomes: { a: { output: { id: 7 } } } }).status).toBe("completed");
  });

  it("W9 holds steps beyond max_parallel_steps, until all of them have run", () => {
    const steps = Array.from({ length: 50 }, (_, i) => jobStep(`s${i}`));
    const { status, steps: ran } = simulate(steps, { rest: { max_parallel_steps: 1 } });
    expect([status, ran.map(({ round }) => round)]).toEqual(["completed", steps.map((_, i) => i + 1)]);
  });
});

import { describe, expect, it } from "vitest";
import { approvalStep, jobStep, sleepStep } from "../../../../test/seed/workflow-definition.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { StepDefinition } from "../../../flow/workflows/plan/definition.ts";
import { overrideSteps } from "./plan-workflow.ts";
import { presentPlan } from "./present-plan.ts";

const after = (...depends_on: string[]) => ({ depends_on });
const ISSUE = { location: "body.steps", message: "is wrong", value: null };

type PlanInput = Parameters<typeof presentPlan>[0];

const planOf = (steps: StepDefinition[], rest: Partial<PlanInput> = {}) =>
  synchronous(presentPlan)({
    steps,
    max_parallel_steps: null,
    issues: [],
    violations: [],
    estimates: new Map(),
    ...rest,
  });

const STEPS = [
  approvalStep("ok", after("pack", "bill")),
  jobStep("pack", after("order")),
  jobStep("order"),
  sleepStep("bill", after("order")),
];

describe("presentPlan", () => {
  it("W9 orders every step after its dependencies, in waves", () => {
    const plan = planOf(STEPS);
    expect(plan).toMatchObject({ is_valid: true, step_count: 4, waves: [["order"], ["pack", "bill"], ["ok"]] });
    expect(plan.order).toEqual(["order", "pack", "bill", "ok"]);
    expect(plan.steps.map(({ step_ref, type, wave }) => [step_ref, type, wave])).toEqual([
      ["ok", "approval", 3],
      ["pack", "job", 2],
      ["order", "job", 1],
      ["bill", "sleep", 2],
    ]);
  });

  it("W9 uses the longest path by estimates as the critical path", () => {
    const estimates = new Map([
      ["order", 10],
      ["pack", 5],
      ["bill", 30],
      ["ok", 1],
    ]);
    expect(planOf(STEPS, { estimates }).critical_path).toEqual({
      step_refs: ["order", "bill", "ok"],
      estimate_ms: 41,
      unestimated: [],
    });
    estimates.delete("pack");
    expect(planOf(STEPS, { estimates }).critical_path).toMatchObject({ estimate_ms: null, unestimated: ["pack"] });
  });

  it("W9 is not valid with an issue or a violation; with an issue it has no path", () => {
    expect(planOf(STEPS, { violations: [ISSUE] })).toMatchObject({ is_valid: false, policy_violations: [ISSUE] });
    expect(planOf(STEPS, { violations: [ISSUE] }).critical_path).not.toBeNull();
    expect(planOf(STEPS, { issues: [ISSUE] })).toMatchObject({ is_valid: false, issues: [ISSUE], critical_path: null });
  });

  it("lists at most 100 of each", () => {
    const many = Array.from({ length: 150 }, () => ISSUE);
    const { issues, policy_violations } = planOf(STEPS, { issues: many, violations: many });
    expect([issues.length, policy_violations.length]).toEqual([100, 100]);
  });
});

describe("overrideSteps", () => {
  const steps = [
    { step_ref: "a", job_id: "j", max_attempts: 3 },
    { step_ref: "b", job_id: "j", depends_on: ["a"] },
  ];

  it("W9 merges the fields into the step of that name, and leaves the others", () => {
    expect(overrideSteps(steps, { step_overrides: [{ step_ref: "a", max_attempts: 5 }] })).toMatchObject({
      steps: [{ step_ref: "a", job_id: "j", max_attempts: 5 }, steps[1]],
      issues: [],
    });
  });

  it("W9 keeps only the fields common to all types if a step's type changes", () => {
    const override = { step_ref: "b", type: "sleep", sleep_duration: "5m" } as const;
    expect(overrideSteps(steps, { step_overrides: [override] }).steps[1]).toEqual({
      ...override,
      depends_on: ["a"],
      on_failure: "fail_workflow",
      condition: null,
    });
  });

  it("W9 reports a name that no step has", () => {
    expect(overrideSteps(steps, { step_overrides: [{ step_ref: "x" }] })).toMatchObject({
      steps,
      issues: [{ location: "body.step_overrides[0].step_ref", value: "x" }],
    });
  });
});

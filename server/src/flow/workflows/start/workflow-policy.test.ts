import { describe, expect, it } from "vitest";
import { jobStep, sleepStep } from "../../../../test/seed/workflow-definition.ts";
import { NO_POLICY, policyViolations } from "./workflow-policy.ts";

const after = (...depends_on: string[]) => ({ depends_on });

const STEPS = [
  jobStep("root"),
  jobStep("left", after("root")),
  sleepStep("rest", after("root")),
  jobStep("right", after("root")),
  jobStep("end", after("left", "rest", "right")),
];

const violations = (policy: object, steps = STEPS) =>
  policyViolations({ ...NO_POLICY, ...policy }, steps).map(({ location, message }) => `${location} ${message}`);

describe("policyViolations", () => {
  it("W11 allows everything without a limit", () => {
    expect(policyViolations(NO_POLICY, STEPS)).toEqual([]);
  });

  it("W11 allows exactly the limit", () => {
    expect(violations({ max_steps: 5, max_fan_out: 3, max_depth: 3, forbidden_step_types: ["approval"] })).toEqual([]);
  });

  it("W11 returns everything that exceeds a limit, each with its path", () => {
    expect(violations({ max_steps: 4, max_fan_out: 2, max_depth: 2, forbidden_step_types: ["sleep"] })).toEqual([
      "body.steps has 5 steps; the policy of the project allows 4",
      "body.steps[2].type sleep steps are forbidden by the policy",
      "body.steps[0] 3 steps depend on it; the policy of the project allows 2",
      "body.steps[4].depends_on is the 3rd step of a dependency chain; the policy of the project allows 2",
    ]);
  });

  it("W11 treats a step without a type as a job step", () => {
    const steps = [{ step_ref: "a" }];
    expect(policyViolations({ ...NO_POLICY, forbidden_step_types: ["job"] }, steps)).toMatchObject([
      { location: "body.steps[0].type", value: "job" },
    ]);
  });

  it("W11 names every step that is too deep, on the longest path", () => {
    const chain = Array.from({ length: 13 }, (_, i) => jobStep(`s${i}`, after(...(i > 0 ? [`s${i - 1}`] : []))));
    const short = [...chain, jobStep("short", after("s0"))];
    expect(violations({ max_depth: 11 }, short)).toEqual([
      "body.steps[11].depends_on is the 12th step of a dependency chain; the policy of the project allows 11",
      "body.steps[12].depends_on is the 13th step of a dependency chain; the policy of the project allows 11",
    ]);
  });

  it("uses the path of the steps that it is given", () => {
    const [first] = policyViolations({ ...NO_POLICY, max_steps: 1 }, STEPS, "version.steps");
    expect(first?.location).toBe("version.steps");
  });
});

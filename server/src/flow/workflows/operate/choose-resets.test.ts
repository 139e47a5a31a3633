import { describe, expect, it } from "vitest";
import { jobStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import type { StepStatus } from "../../runs/states.ts";
import type { StepCause } from "../plan/definition.ts";
import { canceledByTheEnd, type StepTrace, subtreeOf, withCaused } from "./choose-resets.ts";

const step = (
  step_ref: string,
  status: StepStatus,
  cause: StepCause | null = null,
  cause_ref: string | null = null,
): StepTrace => ({ step_ref, status, cause, cause_ref });

const refs = (chosen: Iterable<string>) => [...chosen].toSorted();

describe("the steps that are reset with a step", () => {
  it("are those that were skipped because it failed", () => {
    const steps = [step("a", "failed"), step("b", "skipped", "dependency", "a"), step("c", "completed")];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a", "b"]);
  });

  it("are those that were canceled because it failed the run", () => {
    const steps = [step("a", "failed"), step("b", "canceled", "step_failed", "a"), step("c", "completed")];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a", "b"]);
  });

  it("are found transitively, in any order of definition", () => {
    const steps = [
      step("d", "skipped", "dependency", "c"),
      step("c", "skipped", "dependency", "b"),
      step("b", "canceled", "step_failed", "a"),
      step("a", "failed"),
    ];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a", "b", "c", "d"]);
  });

  it("are not those that ended because of another step", () => {
    const steps = [
      step("a", "failed"),
      step("b", "skipped", "dependency", "a"),
      step("x", "failed"),
      step("y", "skipped", "dependency", "x"),
    ];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a", "b"]);
  });

  it("are not those whose own condition was false, nor manually skipped ones", () => {
    const steps = [
      step("a", "failed"),
      step("b", "skipped", "condition", null),
      step("c", "skipped", "manual", null),
      step("d", "pending"),
    ];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a"]);
  });

  it("are none for a completed step", () => {
    const steps = [step("a", "completed"), step("b", "completed")];
    expect(refs(withCaused(steps, ["a"]))).toEqual(["a"]);
  });
});

describe("the steps that are reset when a run is reopened", () => {
  it("are those that were canceled with it, by a cancel or by its timeout", () => {
    const steps = [
      step("a", "completed"),
      step("b", "canceled", "workflow_canceled"),
      step("c", "canceled", "workflow_timed_out"),
      step("d", "canceled", "step_failed", "a"),
      step("e", "skipped", "manual"),
    ];
    expect(canceledByTheEnd(steps)).toEqual(["b", "c"]);
  });
});

describe("the subtree of a step", () => {
  const definition = workflow([
    jobStep("last", { depends_on: ["left", "right"] }),
    jobStep("first"),
    jobStep("left", { depends_on: ["first"] }),
    jobStep("right", { depends_on: ["first"] }),
    jobStep("apart"),
    jobStep("end", { depends_on: ["last", "apart"] }),
  ]);

  it.each([
    ["first", ["end", "first", "last", "left", "right"]],
    ["left", ["end", "last", "left"]],
    ["apart", ["apart", "end"]],
    ["end", ["end"]],
  ])("of %s is the step and all its direct and indirect dependents", (ref, expected) => {
    expect(refs(subtreeOf(definition, ref))).toEqual(expected);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { jobStep, sleepStep, workflow } from "../../../../test/seed/workflow-definition.ts";
import type { StepDefinition } from "../plan/definition.ts";
import { type CompensableStep, listCompensations, mayCompensate, planCompensation } from "./compensate-plan.ts";

fc.configureGlobal({ seed: testSeed("compensate-plan") });

const UNDO = "00000000-0000-7000-8000-00000000000c";
const done = (completion: number): CompensableStep => ({ status: "completed", completion, compensation: null });
const pending: CompensableStep = { status: "pending", completion: null, compensation: null };

describe("the next action of a compensating run", () => {
  const definition = workflow([
    jobStep("a", { compensate_job_id: UNDO }),
    jobStep("plain"),
    jobStep("b", { compensate_job_id: UNDO }),
  ]);

  it("starts with the step that completed last, at any position in the definition", () => {
    const steps = new Map([
      ["a", done(7)],
      ["plain", done(9)],
      ["b", done(3)],
    ]);
    expect(planCompensation(definition, steps)).toEqual({ kind: "start", step_ref: "a", job_id: UNDO });
    expect(listCompensations(definition, steps).map(({ step_ref }) => step_ref)).toEqual(["a", "b"]);
  });

  it("waits while a step or a compensation runs", () => {
    const running = new Map([
      ["a", done(1)],
      ["b", { ...pending, status: "running" as const }],
    ]);
    const undoing = new Map([
      ["a", done(1)],
      ["b", { ...done(2), compensation: { status: "running" as const } }],
    ]);
    expect(planCompensation(definition, running)).toEqual({ kind: "wait" });
    expect(planCompensation(definition, undoing)).toEqual({ kind: "wait" });
  });

  it("continues after a failed one, and is done when none is left", () => {
    const steps = new Map([
      ["a", done(1)],
      ["b", { ...done(2), compensation: { status: "failed" as const } }],
    ]);
    expect(planCompensation(definition, steps)).toMatchObject({ kind: "start", step_ref: "a" });
    steps.set("a", { ...done(1), compensation: { status: "completed" } });
    expect(planCompensation(definition, steps)).toEqual({ kind: "done" });
  });

  it("may be needed as long as a step with a compensation is completed or runs", () => {
    const is = (a: CompensableStep) => mayCompensate(definition, new Map([["a", a]]));
    expect([is(pending), is(done(1)), is({ ...pending, status: "running" })]).toEqual([false, true, true]);
    expect(mayCompensate(definition, new Map([["plain", done(1)]]))).toBe(false);
    expect(is({ ...done(1), compensation: { status: "completed" } })).toBe(false);
  });
});

type Thrown = {
  isJob: boolean;
  isUndone: boolean;
  status: "completed" | "failed" | "canceled" | "skipped";
  at: number;
};

const thrown: fc.Arbitrary<Thrown> = fc.record({
  isJob: fc.boolean(),
  isUndone: fc.boolean(),
  status: fc.constantFrom("completed", "completed", "failed", "canceled", "skipped"),
  at: fc.nat(),
});

describe("for random steps", () => {
  it("it compensates each completed step that names a compensation, once, from the last to complete to the first", () => {
    const graphs = fc.uniqueArray(thrown, { selector: ({ at }) => at, maxLength: 40 });
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.constantFrom("completed" as const, "failed" as const)), (all, ends) => {
        const definition = workflow(all.map((each, i): StepDefinition => define(`s${i}`, each)));
        const steps = new Map(all.map((each, i) => [`s${i}`, stateOf(each)]));
        const order: string[] = [];
        for (let next = planCompensation(definition, steps); next.kind === "start"; ) {
          order.push(next.step_ref);
          const step = steps.get(next.step_ref) as CompensableStep;
          steps.set(next.step_ref, { ...step, compensation: { status: ends.next().value } });
          next = planCompensation(definition, steps);
        }
        const expected = all
          .map((each, i) => ({ ...each, ref: `s${i}` }))
          .filter(({ isJob, isUndone, status }) => isJob && isUndone && status === "completed")
          .sort((a, b) => b.at - a.at)
          .map(({ ref }) => ref);
        expect(order).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function define(ref: string, { isJob, isUndone }: Thrown): StepDefinition {
  return isJob ? jobStep(ref, { compensate_job_id: isUndone ? UNDO : null }) : sleepStep(ref);
}

function stateOf({ status, at }: Thrown): CompensableStep {
  return { status, completion: status === "completed" ? at : null, compensation: null };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { predictFatal, predictFates } from "../../../../test/oracles/planner-oracle.ts";
import { PAYLOAD, randomGraph, type ThrownGraph } from "../../../../test/oracles/random-graph.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import { neededOutputs } from "../progress/advance-runs.ts";
import type { GraphPlan, GraphState, RunDecision, StepDecision, StepState } from "./definition.ts";
import { planGraph as planGraphGenerator } from "./planner.ts";

const planGraph = synchronous(planGraphGenerator);

fc.configureGlobal({ seed: testSeed("planner-oracle") });

type Execution = {
  graph: ThrownGraph;
  steps: Map<string, StepState>;
  outputs: Map<string, unknown>;
  started: Set<string>;
  ended: Set<string>;
};
type Dice = () => number;

/** Drives a run to its end: random steps end, one or several between two plans, and the planner runs each time. */
function execute(graph: ThrownGraph, dice: Dice): { execution: Execution; run: RunDecision } {
  const at: Execution = {
    graph,
    steps: new Map(graph.steps.map(({ ref }) => [ref, pending()])),
    outputs: new Map(),
    started: new Set(),
    ended: new Set(),
  };
  for (let move = 0; move < 100; move++) {
    const plan = planOf(at);
    for (const decision of plan.steps) follow(at, decision);
    if (plan.run.kind !== "continue") return { execution: at, run: plan.run };
    expectNothingLeft(at, plan);
    expectNoMore(at);
    endSome(at, dice);
  }
  throw new Error("it does not end");
}

function pending(): StepState {
  return { status: "pending", cause: null, cause_ref: null, error: null };
}

/** The outputs in `neededOutputs` are enough: the plan is the same as with all. */
function planOf({ graph, steps, outputs }: Execution): GraphPlan {
  const all: GraphState = { payload: PAYLOAD, steps, outputs };
  const needed = neededOutputs(graph.definition, steps);
  const plan = planGraph(graph.definition, { ...all, outputs: new Map(needed.map((ref) => [ref, outputs.get(ref)])) });
  expect(plan).toEqual(planGraph(graph.definition, all));
  return plan;
}

function follow(at: Execution, decision: StepDecision): void {
  const { step_ref } = decision;
  expect(at.steps.get(step_ref)?.status).toBe("pending");
  if (decision.kind === "skip") {
    end(at, step_ref, { ...pending(), status: "skipped", cause: decision.cause, cause_ref: decision.cause_ref });
  }
  if (decision.kind === "fail") end(at, step_ref, { ...pending(), status: "failed", error: decision.error });
  if (decision.kind !== "start") return;

  expect(at.started.has(step_ref)).toBe(false);
  at.started.add(step_ref);
  expect(isReady(at, step_ref)).toBe(true);
  if (decision.rendered.type === "job") expectOutputs(at, step_ref, decision.rendered.parent_outputs);
  at.steps.set(step_ref, { ...pending(), status: decision.rendered.type === "job" ? "running" : "waiting" });
}

function end(at: Execution, ref: string, state: StepState): void {
  expect(at.ended.has(ref)).toBe(false);
  at.ended.add(ref);
  at.steps.set(ref, state);
}

function thrownOf({ graph }: Execution, ref: string) {
  const thrown = graph.steps.find((step) => step.ref === ref);
  if (!thrown) throw new Error(ref);
  return thrown;
}

function isReady(at: Execution, ref: string): boolean {
  return thrownOf(at, ref).parents.every((parent) => {
    const state = at.steps.get(parent);
    if (state?.status === "completed") return true;
    if (state?.status === "skipped") return state.cause !== "dependency";
    return state?.status === "failed" && thrownOf(at, parent).on_failure === "continue";
  });
}

function expectOutputs(at: Execution, ref: string, outputs: Record<string, unknown>): void {
  const { parents } = thrownOf(at, ref);
  const expected = parents.map((parent) => {
    const isCompleted = at.steps.get(parent)?.status === "completed";
    return [parent, isCompleted ? { made_by: parent } : null];
  });
  expect(outputs).toEqual(Object.fromEntries(expected));
}

/** Every ready step was started, or is held; and it is held only while the maximum is running. */
function expectNothingLeft(at: Execution, { steps }: GraphPlan): void {
  const limit = at.graph.definition.max_parallel_steps ?? Number.POSITIVE_INFINITY;
  const running = [...at.steps.values()].filter(({ status }) => status === "running").length;
  expect(running).toBeLessThanOrEqual(limit);
  const held = steps.filter(({ kind }) => kind === "hold").map(({ step_ref }) => step_ref);
  if (held.length > 0) expect(running).toBe(limit);
  for (const ref of held) expect(thrownOf(at, ref).type).toBe("job");
  const ready = [...at.steps].filter(([ref, { status }]) => status === "pending" && isReady(at, ref));
  expect(ready.map(([ref]) => ref).toSorted()).toEqual(held.toSorted());
}

/** A second plan over the same state decides nothing new. */
function expectNoMore(at: Execution): void {
  const again = planOf(at);
  expect(again.steps.filter(({ kind }) => kind !== "hold")).toEqual([]);
  expect(again.run).toEqual({ kind: "continue" });
}

function endSome(at: Execution, dice: Dice): void {
  const active = [...at.steps].filter(([, { status }]) => status === "running" || status === "waiting");
  // An active run without a running step would never end.
  expect(active.length).toBeGreaterThan(0);
  for (let left = 1 + (dice() % 3); left > 0 && active.length > 0; left--) {
    const [[ref] = [""]] = active.splice(dice() % active.length, 1);
    const status = thrownOf(at, ref).outcome;
    if (status === "completed") at.outputs.set(ref, { made_by: ref });
    end(at, ref, { ...pending(), status, error: status === "failed" ? { code: "boom", message: ref } : null });
  }
}

function fateOf({ status, cause }: StepState): string {
  return status === "skipped" && cause === "dependency" ? "skipped for another" : status;
}

const dice = fc.infiniteStream(fc.nat()).map(
  (stream): Dice =>
    () =>
      stream.next().value,
);

describe("the planner against an oracle of the rules alone", () => {
  it("W1 W2 every step ends once, as predicted, in any order of ends and under any limit", () => {
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 0 }), dice, dice, (graph, one, another) => {
        const expected = predictFates(graph.steps);
        for (const luck of [one, another]) {
          const { execution: end, run } = execute(graph, luck);
          const fates = new Map([...end.steps].map(([ref, state]) => [ref, fateOf(state)]));
          expect(fates).toEqual(expected);
          expect(end.ended.size).toBe(graph.steps.length);
          const error_count = [...expected.values()].filter((fate) => fate === "failed").length;
          expect(run).toEqual({ kind: "complete", error_count });
        }
      }),
      { numRuns: sizeOf(25, 150) },
    );
  });

  it("W2 a run fails exactly if a step fails under fail_workflow; until then everything goes as predicted", () => {
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 2 }), dice, (graph, luck) => {
        const expected = predictFates(graph.steps);
        const fatal = predictFatal(graph.steps);
        const { execution: end, run } = execute(graph, luck);
        for (const ref of end.ended)
          expect([ref, fateOf(end.steps.get(ref) ?? pending())]).toEqual([ref, expected.get(ref)]);
        expect(run.kind).toBe(fatal.length > 0 ? "fail" : "complete");
        if (run.kind !== "fail") return;
        expect(fatal).toContain(run.step_ref);
        expect(end.steps.get(run.step_ref)?.status).toBe("failed");
        expect(run.error.message).toContain(`step ${run.step_ref} failed`);
        const failed = [...end.steps.values()].filter(({ status }) => status === "failed").length;
        expect(run.error_count).toBe(failed);
      }),
      { numRuns: sizeOf(25, 150) },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAYLOAD, randomGraph } from "../../../../test/oracles/random-graph.ts";
import { testSeed } from "../../../../test/seed/seed.ts";
import { jobStep, stateOf, workflow } from "../../../../test/seed/workflow-definition.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { synchronous } from "../../../../test/world/synchronous.ts";
import type { StepState, WorkflowDefinition } from "../plan/definition.ts";
import { indexGraph } from "../plan/graph-index.ts";
import { planGraph as planGraphGenerator } from "../plan/planner.ts";

const planGraph = synchronous(planGraphGenerator);

fc.configureGlobal({ seed: testSeed("reset-order") });

const startsOf = (definition: WorkflowDefinition, known: Parameters<typeof stateOf>[1]) =>
  planGraph(definition, stateOf(definition, known)).steps.map(({ kind, step_ref }) => `${kind} ${step_ref}`);

describe("steps downstream of a reset step", () => {
  const chain = workflow([
    jobStep("a", { on_failure: "skip_dependents" }),
    jobStep("b", { depends_on: ["a"] }),
    jobStep("c", { depends_on: ["b"] }),
  ]);

  it("wait for it, though the steps between have completed and stay so", () => {
    expect(startsOf(chain, { b: "completed" })).toEqual(["start a"]);
    expect(startsOf(chain, { a: "running", b: "completed" })).toEqual([]);
    expect(startsOf(chain, { a: "completed", b: "completed" })).toEqual(["start c"]);
  });

  it("are skipped with it, as if they depended on it", () => {
    const { steps, run } = planGraph(chain, stateOf(chain, { a: "failed", b: "completed" }));
    expect(steps).toMatchObject([{ kind: "skip", step_ref: "c", cause: "dependency", cause_ref: "a" }]);
    expect(run.kind).toBe("complete");
  });

  it("do not wait behind a manually skipped step", () => {
    const skipped = { status: "skipped", cause: "manual" } as const;
    expect(startsOf(chain, { a: "running", b: skipped })).toEqual(["start c"]);
  });

  it("in random graphs, never start while an ancestor is running again, and the run ends", () => {
    fc.assert(
      fc.property(randomGraph({ fail_workflow: 0 }), fc.infiniteStream(fc.boolean()), ({ definition }, dice) => {
        const steps = new Map(definition.steps.map(({ step_ref }) => [step_ref, PENDING]));
        const outputs = new Map<string, unknown>();
        for (let round = 0; ; round++) {
          const plan = planGraph(definition, { payload: PAYLOAD, steps, outputs });
          const starts = plan.steps.filter(({ kind }) => kind === "start");
          apply(
            plan.steps.filter(({ kind }) => kind !== "start"),
            steps,
            outputs,
          );
          for (const { step_ref } of starts) expect(openAbove(definition, steps, step_ref)).toEqual([]);
          apply(starts, steps, outputs);
          if (plan.run.kind !== "continue") break;
          // In the first rounds completed steps are reset at random.
          for (const [ref, { status }] of steps) {
            if (round < 3 && status === "completed" && dice.next().value) steps.set(ref, PENDING);
          }
          expect(round).toBeLessThan(200);
        }
      }),
      { numRuns: sizeOf(40, 100) },
    );
  });
});

const PENDING: StepState = { status: "pending", cause: null, cause_ref: null, error: null };
const OPEN: ReadonlySet<string> = new Set(["pending", "running", "waiting"]);

/** All started steps complete at once. */
function apply(
  decisions: ReturnType<typeof planGraph>["steps"],
  steps: Map<string, StepState>,
  outputs: Map<string, unknown>,
): void {
  for (const decision of decisions) {
    const { step_ref } = decision;
    if (decision.kind === "hold") continue;
    if (decision.kind === "start") {
      steps.set(step_ref, { ...PENDING, status: "completed" });
      outputs.set(step_ref, { made_by: step_ref });
    } else if (decision.kind === "skip") {
      steps.set(step_ref, { ...PENDING, status: "skipped", cause: decision.cause, cause_ref: decision.cause_ref });
    } else steps.set(step_ref, { ...PENDING, status: "failed", error: decision.error });
  }
}

/** What a step must wait for: its parents, and the ancestors of a completed parent. */
function openAbove(definition: WorkflowDefinition, steps: ReadonlyMap<string, StepState>, step_ref: string): string[] {
  const { byRef } = indexGraph(definition);
  const [left, seen] = [[step_ref], new Set<string>()];
  for (let ref = left.pop(); ref !== undefined; ref = left.pop()) {
    for (const { step } of byRef.get(ref)?.parents ?? []) {
      if (steps.get(step.step_ref)?.status === "completed" && !seen.has(step.step_ref)) left.push(step.step_ref);
      seen.add(step.step_ref);
    }
  }
  return [...seen].filter((ref) => OPEN.has(steps.get(ref)?.status ?? ""));
}

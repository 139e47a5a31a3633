import type { WorkflowDefinition } from "./definition.ts";
import { evaluateDependencies } from "./evaluate-dependencies.ts";
import { indexGraph } from "./graph-index.ts";
import type { StepState } from "./graph-types.ts";

/** The steps that could start now: all their dependencies are done. */
export function listReady(definition: WorkflowDefinition, steps: ReadonlyMap<string, StepState>): string[] {
  const stateOf = (step_ref: string): StepState => {
    const state = steps.get(step_ref);
    if (!state) throw new Error(`the state of step ${step_ref} is missing`);
    return state;
  };
  return indexGraph(definition)
    .order.filter((node) => stateOf(node.step.step_ref).status === "pending")
    .filter((node) => evaluateDependencies(node, stateOf).kind === "ready")
    .map(({ step }) => step.step_ref);
}

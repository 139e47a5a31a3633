import type { WorkflowDefinition } from "./definition.ts";
import { indexGraph, type StepNode } from "./graph-index.ts";
import type { StepState } from "./graph-types.ts";

/** The completed steps whose outputs `advance` may read in this state: never one too few, seldom one too many. */
export function neededOutputs(definition: WorkflowDefinition, steps: ReadonlyMap<string, StepState>): string[] {
  const needed = new Set<string>();
  const passable = new Set<string>();
  const isOpen = (parent: StepNode) => isDone(steps.get(parent.step.step_ref)) || passable.has(parent.step.step_ref);

  for (const node of indexGraph(definition).order) {
    const { step_ref } = node.step;
    if (steps.get(step_ref)?.status !== "pending" || !node.parents.every(isOpen)) continue;
    if (node.mayEndUnstarted) passable.add(step_ref);
    for (const ref of node.reads) if (steps.get(ref)?.status === "completed") needed.add(ref);
  }
  return [...needed];
}

/** A step may be started, or end without being started: its condition and templates are rendered. */
export function mayRender(definition: WorkflowDefinition, steps: ReadonlyMap<string, StepState>): boolean {
  return indexGraph(definition).order.some(
    ({ step, parents }) =>
      steps.get(step.step_ref)?.status === "pending" &&
      parents.every((parent) => isDone(steps.get(parent.step.step_ref))),
  );
}

function isDone(state: StepState | undefined): boolean {
  return state?.status === "completed" || state?.status === "failed" || state?.status === "skipped";
}

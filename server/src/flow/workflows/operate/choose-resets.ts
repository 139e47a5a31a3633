import type { StepStatus } from "../../runs/states.ts";
import type { StepCause, WorkflowDefinition } from "../plan/definition.ts";
import { indexGraph } from "../plan/graph-index.ts";

/** The fields of a step that decide what is reset with it. */
export type StepTrace = {
  step_ref: string;
  status: StepStatus;
  cause: StepCause | null;
  cause_ref: string | null;
};

/** Reasons for which another step ended this one. A false condition and a manual skip are its own. */
const BY_ANOTHER: ReadonlySet<StepCause> = new Set(["dependency", "step_failed"]);
const BY_THE_END: ReadonlySet<StepCause> = new Set(["workflow_canceled", "workflow_timed_out"]);

/** These steps and every step that was skipped or canceled because of one of them, directly or transitively. */
export function withCaused(steps: readonly StepTrace[], refs: Iterable<string>): Set<string> {
  const chosen = new Set(refs);
  for (let grown = true; grown; ) {
    const caused = steps.filter((step) => isCausedBy(step, chosen) && !chosen.has(step.step_ref));
    for (const step of caused) chosen.add(step.step_ref);
    grown = caused.length > 0;
  }
  return chosen;
}

function isCausedBy({ cause, cause_ref }: StepTrace, refs: ReadonlySet<string>): boolean {
  return cause !== null && BY_ANOTHER.has(cause) && cause_ref !== null && refs.has(cause_ref);
}

/** The steps that were canceled with their workflow run: they are reset when it is reopened. */
export function canceledByTheEnd(steps: readonly StepTrace[]): string[] {
  return steps.filter(({ cause }) => cause !== null && BY_THE_END.has(cause)).map(({ step_ref }) => step_ref);
}

/** A step and all its transitive dependents. */
export function subtreeOf(definition: WorkflowDefinition, root: string): Set<string> {
  const subtree = new Set([root]);
  for (const { step } of indexGraph(definition).order) {
    if (step.depends_on.some((ref) => subtree.has(ref))) subtree.add(step.step_ref);
  }
  return subtree;
}

import type { OnFailure } from "./definition.ts";
import type { StepNode } from "./graph-index.ts";
import type { StepState } from "./graph-types.ts";

export type DependencyState =
  | { kind: "waiting" }
  | { kind: "ready"; reason: string }
  /** It will never start, because of the step `cause_ref`. */
  | { kind: "blocked"; cause_ref: string; reason: string };

type Done = { kind: "done" };

/**
 * Whether everything upstream of a completed step is done, too. Valid for one plan, in which steps are visited in
 * order.
 */
export type UpstreamStates = Map<StepNode, DependencyState | Done>;

/**
 * One dependency that failed under `skip_dependents` decides at once; else all of them must be done. Everything
 * upstream of a completed step is done, unless a step there was reset: dependents then wait for it as if they depended
 * on it.
 */
export function evaluateDependencies(
  node: StepNode,
  stateOf: (step_ref: string) => StepState,
  above: UpstreamStates = new Map(),
): DependencyState {
  const known = evaluateParents(node, stateOf, above);
  return known.kind === "done" ? { kind: "ready", reason: describeReady(node.step.depends_on) } : known;
}

function evaluateParents(
  node: StepNode,
  stateOf: (step_ref: string) => StepState,
  above: UpstreamStates,
): DependencyState | Done {
  let isWaiting = false;
  for (const parent of node.parents) {
    const state = stateOf(parent.step.step_ref);
    const blocked = findBlock(parent, state);
    if (blocked) return blocked;
    if (!isDone(state, parent.step.on_failure)) isWaiting = true;
    if (isWaiting || state.status !== "completed") continue;
    const known = above.get(parent) ?? evaluateParents(parent, stateOf, above);
    above.set(parent, known);
    if (known.kind === "blocked") return known;
    isWaiting = known.kind === "waiting";
  }
  return isWaiting ? { kind: "waiting" } : { kind: "done" };
}

function findBlock({ step: { step_ref, on_failure } }: StepNode, state: StepState): DependencyState | undefined {
  const blocked = (cause_ref: string, why: string) =>
    ({ kind: "blocked", cause_ref, reason: `${step_ref} ${why}` }) as const;
  if (state.status === "failed" && on_failure === "skip_dependents") {
    return blocked(step_ref, "failed and its on_failure is skip_dependents");
  }
  if (state.status === "skipped" && state.cause === "dependency") {
    const root = state.cause_ref ?? step_ref;
    return blocked(root, `was skipped because of ${root}`);
  }
  // Left over from an ended run that was partly retried.
  if (state.status === "canceled") return blocked(step_ref, "was canceled");
  return undefined;
}

function isDone({ status }: StepState, on_failure: OnFailure): boolean {
  return status === "completed" || status === "skipped" || (status === "failed" && on_failure === "continue");
}

function describeReady(refs: readonly string[]): string {
  if (refs.length === 0) return "it depends on no other step";
  if (refs.length === 1) return `${refs[0]} is done`;
  const shown = refs.slice(0, MAX_SHOWN).join(", ");
  const rest = refs.length - MAX_SHOWN;
  return `all of ${shown}${rest > 0 ? ` and ${rest} more` : ""} are done`;
}

const MAX_SHOWN = 20;

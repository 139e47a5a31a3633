import {
  type GraphPlan,
  type GraphState,
  isRunnable,
  type OnFailure,
  type StepDecision,
  type StepDefinition,
  type StepError,
  type StepState,
  type WorkflowDefinition,
} from "./definition.ts";
import { indexGraph, type StepNode } from "./graph-index.ts";
import { planStart } from "./plan-start.ts";

/**
 * Plans what a workflow run does next: the one planner for running, previewing and explaining. Pure: the same state
 * gives the same plan. Yields after each decided step: conditions and templates take milliseconds. One walk down the
 * graph reaches the fixed point: a decision about a step affects only its descendants.
 */
export function* planGraph(definition: WorkflowDefinition, state: GraphState): Generator<void, GraphPlan> {
  const walk = beginWalk(definition, state);
  for (const { step } of walk.order) {
    const { status, error } = stateOf(walk, step.step_ref);
    if (status === "failed" && step.on_failure === "fail_workflow") return failRun(walk, step, error);
  }

  for (const node of walk.order) {
    if (stateOf(walk, node.step.step_ref).status !== "pending") continue;
    const decision = yield* decide(walk, node);
    if (!decision) continue;
    applyDecision(walk, decision);
    yield;
    if (decision.kind === "fail" && node.step.on_failure === "fail_workflow") {
      return failRun(walk, node.step, decision.error);
    }
  }
  return { steps: walk.decisions, run: hasEnded(walk) ? complete(walk) : { kind: "continue" } };
}

type Walk = {
  order: readonly StepNode[];
  state: GraphState;
  /** The states after the decisions so far. */
  states: Map<string, StepState>;
  decisions: StepDecision[];
  above: UpstreamStates;
  /** Running steps. */
  running: number;
  max_parallel_steps: number;
};

function beginWalk(definition: WorkflowDefinition, state: GraphState): Walk {
  const { order } = indexGraph(definition);
  let running = 0;
  for (const { status } of state.steps.values()) if (status === "running") running++;
  const max_parallel_steps = definition.max_parallel_steps ?? Number.POSITIVE_INFINITY;
  return { order, state, states: new Map(state.steps), decisions: [], above: new Map(), running, max_parallel_steps };
}

function* decide(walk: Walk, node: StepNode): Generator<void, StepDecision | undefined> {
  const { step } = node;
  const dependencies = evaluateDependencies(node, (ref) => stateOf(walk, ref), walk.above);
  if (dependencies.kind === "waiting") return undefined;
  if (dependencies.kind === "blocked")
    return { ...dependencies, kind: "skip", step_ref: step.step_ref, cause: "dependency" };
  // Checked before its condition and templates: replanning a held step costs nothing.
  if (isRunnable(step.type) && walk.running >= walk.max_parallel_steps) return hold(walk, step);
  return yield* planStart(node, walk.state, walk.states, dependencies.reason);
}

function hold({ running, max_parallel_steps }: Walk, { step_ref }: StepDefinition): StepDecision {
  const run = running === 1 ? "1 step is running" : `${running} steps are running`;
  return { kind: "hold", step_ref, reason: `${run} and max_parallel_steps is ${max_parallel_steps}` };
}

function applyDecision(walk: Walk, decision: StepDecision): void {
  walk.decisions.push(decision);
  const set = (state: Partial<StepState> & Pick<StepState, "status">) =>
    walk.states.set(decision.step_ref, { cause: null, cause_ref: null, error: null, ...state });
  if (decision.kind === "skip") set({ status: "skipped", cause: decision.cause, cause_ref: decision.cause_ref });
  if (decision.kind === "fail") set({ status: "failed", error: decision.error });
  if (decision.kind !== "start") return;
  const isRunning = isRunnable(decision.rendered.type);
  set({ status: isRunning ? "running" : "waiting" });
  if (isRunning) walk.running++;
}

function stateOf(walk: Walk, step_ref: string): StepState {
  const state = walk.states.get(step_ref);
  if (!state) throw new Error(`the state of step ${step_ref} is missing`);
  return state;
}

/** Starts nothing: the caller cancels every step that has not ended. */
function failRun(walk: Walk, { step_ref }: StepDefinition, cause: StepError | null): GraphPlan {
  const steps = walk.decisions.filter(({ kind }) => kind === "skip" || kind === "fail");
  const why = cause ? `: ${cause.code}: ${cause.message}` : "";
  const error = { code: "step_failed", message: `step ${step_ref} failed${why}` };
  return { steps, run: { kind: "fail", step_ref, error, error_count: countFailed(walk) } };
}

function hasEnded({ states }: Walk): boolean {
  for (const { status } of states.values()) if (!ENDED.has(status)) return false;
  return true;
}

const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "skipped", "canceled"]);

function complete(walk: Walk): GraphPlan["run"] {
  return { kind: "complete", error_count: countFailed(walk) };
}

function countFailed({ states }: Walk): number {
  let failed = 0;
  for (const { status } of states.values()) if (status === "failed") failed++;
  return failed;
}

type DependencyState =
  | { kind: "waiting" }
  | { kind: "ready"; reason: string }
  /** It will never start, because of the step `cause_ref`. */
  | { kind: "blocked"; cause_ref: string; reason: string };

type Done = { kind: "done" };

/**
 * Whether everything upstream of a completed step is done, too. Valid for one plan, in which steps are visited in
 * order.
 */
type UpstreamStates = Map<StepNode, DependencyState | Done>;

/**
 * One dependency that failed under `skip_dependents` decides at once; else all of them must be done. Everything
 * upstream of a completed step is done, unless a step there was reset: dependents then wait for it as if they depended
 * on it.
 */
function evaluateDependencies(
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

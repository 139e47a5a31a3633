import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { storeInput } from "../compensate/compensate-plan.ts";
import { startItems } from "../map/start-items.ts";
import type { StepDecision, StepState, WorkflowDefinition } from "../plan/definition.ts";
import { indexGraph, type StepNode } from "../plan/graph-index.ts";
import { planGraph } from "../plan/planner.ts";
import { createStarts, type Start, undoStart } from "./create-starts.ts";
import { loadOutputs, loadPayloads } from "./load-runs.ts";
import { addDecision, failStep, type LoadedRun, type PlannedStart, type StepStart, stepOf } from "./loaded-run.ts";
import { startSteps } from "./start-steps.ts";

/**
 * Advances loaded workflow runs as far as they go without external input: plans, starts ready steps, and plans again
 * where a step ended at once. The loaded runs hold the changes still to be written.
 */
export async function advanceRuns(
  tx: Ctx & InTransaction,
  loadedRuns: readonly LoadedRun[],
  heldKeys: ReadonlySet<string>,
): Promise<void> {
  let open = loadedRuns;
  while (open.length > 0) {
    const steps = await planAndStart(tx, open, heldKeys);
    const items = await startItems(tx, open);
    const live = steps.filter(({ loaded }) => loaded.end === null);
    for (const start of steps.filter(({ loaded }) => loaded.end !== null)) undoStart(start);
    const stale = await createStarts(tx, [...live, ...items.starts]);
    open = [...new Set([...stale, ...items.again])];
  }
}

/** Returns the runs to be created. A workflow run that ends meanwhile starts nothing. */
async function planAndStart(
  tx: Ctx & InTransaction,
  loadedRuns: readonly LoadedRun[],
  heldKeys: ReadonlySet<string>,
): Promise<Start[]> {
  const starts: Start[] = [];
  for (let open = loadedRuns; open.length > 0; ) {
    const wanted = open.map((loaded) => ({ loaded, refs: neededOutputs(loaded.version.definition, loaded.steps) }));
    await loadOutputs(tx, wanted);
    await loadPayloads(
      tx,
      open.filter((loaded) => !loaded.run.has_payload && mayRender(loaded.version.definition, loaded.steps)),
    );
    const planned: PlannedStart[] = [];
    for (const loaded of open) for (const start of await planRun(loaded)) planned.push({ loaded, start });
    const started = await startSteps(tx, planned, heldKeys);
    starts.push(...started.starts);
    open = [...started.again];
  }
  return starts;
}

/** The completed steps whose outputs `planGraph` may read in this state: never one too few, seldom one too many. */
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
function mayRender(definition: WorkflowDefinition, steps: ReadonlyMap<string, StepState>): boolean {
  return indexGraph(definition).order.some(
    ({ step, parents }) =>
      steps.get(step.step_ref)?.status === "pending" &&
      parents.every((parent) => isDone(steps.get(parent.step.step_ref))),
  );
}

function isDone(state: StepState | undefined): boolean {
  return state?.status === "completed" || state?.status === "failed" || state?.status === "skipped";
}

/** Runs the planner, applies in memory the decisions that need no I/O, and returns the steps to be started. */
async function planRun(loaded: LoadedRun): Promise<StepStart[]> {
  const { run, version, steps, outputs } = loaded;
  const plan = await inSlices(planGraph(version.definition, { payload: run.payload, steps, outputs }));
  const starts: StepStart[] = [];
  for (const decision of plan.steps) {
    if (decision.kind === "start") {
      if (loaded.deferred.has(decision.step_ref)) continue;
      storeInput(loaded, decision.step_ref, decision.rendered);
      starts.push(decision);
    } else apply(loaded, decision);
  }
  loaded.end = plan.run.kind === "continue" ? null : plan.run;
  return loaded.end ? [] : starts;
}

function apply(loaded: LoadedRun, decision: Exclude<StepDecision, StepStart>): void {
  const { kind, step_ref, reason } = decision;
  const step = stepOf(loaded, step_ref);
  switch (kind) {
    case "skip":
      step.status = "skipped";
      step.cause = decision.cause;
      step.cause_ref = decision.cause_ref;
      addDecision(loaded, decision.cause === "condition" ? "condition" : "skip", step_ref, reason);
      return;
    case "fail":
      failStep(loaded, step_ref, decision.error, reason);
      return;
    case "hold":
      // Recorded once, when it becomes ready: it is held again each time another step ends.
      if (isJustReady(loaded, step_ref)) addDecision(loaded, "hold", step_ref, reason);
  }
}

function isJustReady(loaded: LoadedRun, step_ref: string): boolean {
  if (loaded.decisions.some((each) => each.step_ref === step_ref && each.decision_type === "hold")) return false;
  const { depends_on } = loaded.version.byRef.get(step_ref) ?? { depends_on: [] };
  if (depends_on.length === 0) return loaded.isNew || loaded.run.decisions === 0;
  return depends_on.some((ref) => loaded.steps.get(ref)?.status !== loaded.steps.get(ref)?.was);
}

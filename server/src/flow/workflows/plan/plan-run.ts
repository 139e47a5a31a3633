import { inSlices } from "../../../platform/time-slices.ts";
import { keepInput } from "../compensate/compensate-input.ts";
import { failStep, type LoadedRun, note, stepOf } from "../progress/loaded-run.ts";
import { advance } from "./graph.ts";
import type { StepDecision } from "./graph-types.ts";

export type StepStart = Extract<StepDecision, { kind: "start" }>;
export type PlannedStart = { loaded: LoadedRun; start: StepStart };

/** Runs the planner, applies in memory the decisions that need no I/O, and returns the steps to be started. */
export async function planRun(loaded: LoadedRun): Promise<StepStart[]> {
  const { run, version, steps, outputs } = loaded;
  const plan = await inSlices(advance(version.definition, { payload: run.payload, steps, outputs }));
  const starts: StepStart[] = [];
  for (const decision of plan.steps) {
    if (decision.kind === "start") {
      if (loaded.deferred.has(decision.step_ref)) continue;
      keepInput(loaded, decision.step_ref, decision.rendered);
      starts.push(decision);
    } else apply(loaded, decision);
  }
  loaded.end = plan.run.kind === "go_on" ? null : plan.run;
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
      note(loaded, decision.cause === "condition" ? "condition" : "skip", step_ref, reason);
      return;
    case "fail":
      failStep(loaded, step_ref, decision.error, reason);
      return;
    case "hold":
      // Recorded once, when it becomes ready: it is held again each time another step ends.
      if (isJustReady(loaded, step_ref)) note(loaded, "hold", step_ref, reason);
  }
}

function isJustReady(loaded: LoadedRun, step_ref: string): boolean {
  if (loaded.decisions.some((each) => each.step_ref === step_ref && each.decision_type === "hold")) return false;
  const { depends_on } = loaded.version.byRef.get(step_ref) ?? { depends_on: [] };
  if (depends_on.length === 0) return loaded.isNew || loaded.run.decisions === 0;
  return depends_on.some((ref) => loaded.steps.get(ref)?.status !== loaded.steps.get(ref)?.was);
}

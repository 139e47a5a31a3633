import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import type { Trigger } from "../../runs/create/prepare-run.ts";
import { contextOfStep } from "../../trace.ts";
import { openStepWaits, type StepWaitResult } from "../../waits/open-step-waits.ts";
import { startMaps } from "../map/start-maps.ts";
import {
  type ApprovalStep,
  isRunnable,
  type JobStep,
  type SleepStep,
  type SubWorkflowStep,
  type WaitStep,
} from "../plan/definition.ts";
import type { Start } from "./create-starts.ts";
import type { PlannedStart, StepStart } from "./loaded-run.ts";
import { addDecision, completeStep, failStep, type LoadedRun, stepOf } from "./loaded-run.ts";
import { prepareChild, prepareStepRun } from "./prepare-step-run.ts";

/**
 * Starts steps of loaded runs: job steps get a prepared run, sub-workflows a workflow run, maps their items, the others
 * a trigger. `again`: runs in which a step ended at once, by a refusal, an empty list or a buffered event, to be
 * planned again.
 */
export async function startSteps(
  tx: Ctx & InTransaction,
  planned: readonly PlannedStart[],
  heldKeys: ReadonlySet<string>,
): Promise<{ starts: Start[]; again: Set<LoadedRun> }> {
  const starts: Start[] = [];
  const waits: PlannedStart[] = [];
  const again = new Set<LoadedRun>();
  for (const each of planned) {
    await yieldToEventLoop();
    const { loaded, start } = each;
    if (isDeferred(each, heldKeys)) {
      loaded.deferred.set(start.step_ref, eventKeyOf(start) ?? "");
      continue;
    }
    // Recorded once: a postponed step comes here again.
    if (start.condition !== null) addDecision(loaded, "condition", start.step_ref, "its condition is true");
    if (!isRunnable(start.rendered.type)) {
      waits.push(each);
      continue;
    }
    if (start.rendered.type === "map") continue;
    const started = start.rendered.type === "job" ? await startJob(tx, each) : await startSubWorkflow(tx, each);
    if (started) starts.push(started);
    else again.add(loaded);
  }
  for (const loaded of await startMaps(tx, planned)) again.add(loaded);
  if (waits.length > 0) for (const loaded of await openWaits(tx, waits)) again.add(loaded);
  return { starts, again };
}

/**
 * No event may be sent between the search for a buffered one and the wait: the key is locked before the workflow run.
 */
function isDeferred({ loaded, start }: PlannedStart, heldKeys: ReadonlySet<string>): boolean {
  const key = eventKeyOf(start);
  return key !== undefined && !heldKeys.has(heldKey(loaded.run.project_id, key));
}

export function heldKey(project_id: string, event_key: string): string {
  return `${project_id}/${event_key}`;
}

function eventKeyOf({ rendered }: StepStart): string | undefined {
  return rendered.type === "wait_for_event" ? rendered.event_key : undefined;
}

/** Undefined: the job refuses it, and the step has failed. */
async function startJob(tx: Ctx, { loaded, start }: PlannedStart): Promise<Start | undefined> {
  const { step_ref, reason } = start;
  const { job_id } = loaded.version.byRef.get(step_ref) as JobStep;
  const prepared = await prepareStepRun(tx, { project_id: loaded.run.project_id, job_id }, triggerOf(loaded, start));
  if ("code" in prepared) {
    failStep(loaded, step_ref, prepared);
    return undefined;
  }
  const step = stepOf(loaded, step_ref);
  step.status = "running";
  step.run_id = prepared.run.id;
  addDecision(loaded, "start", step_ref, reason);
  return { loaded, step_ref, run: prepared.run };
}

function triggerOf({ run, version, steps }: LoadedRun, { step_ref, rendered }: StepStart): Trigger {
  const step = version.byRef.get(step_ref) as JobStep;
  if (rendered.type !== "job") throw new Error("not a job step");
  const { timeout_secs, max_attempts, priority } = step;
  return {
    payload: rendered.payload,
    parent_outputs: rendered.parent_outputs,
    concurrency_key: rendered.concurrency_key,
    metadata: run.metadata,
    inherited_tags: run.tags,
    environment_id: run.environment_id,
    workflow_run_id: run.id,
    step_ref,
    step_generation: steps.get(step_ref)?.generation ?? 1,
    created_by: `workflow_run:${run.id}`,
    trigger_type: "workflow",
    traceparent: contextOfStep(run, step_ref),
    ...(timeout_secs !== null && { timeout_secs }),
    ...(max_attempts !== null && { max_attempts }),
    ...(priority !== null && { priority }),
  };
}

/** Returns the runs in which a wait ended at once. */
async function openWaits(tx: Ctx & InTransaction, planned: readonly PlannedStart[]): Promise<LoadedRun[]> {
  const results = await openStepWaits(
    tx,
    planned.map(({ loaded, start }) => newWait(loaded, start)),
  );
  return planned.filter((each, index) => endedAtOnce(each, results[index])).map(({ loaded }) => loaded);
}

function endedAtOnce(
  { loaded, start: { step_ref, reason, rendered } }: PlannedStart,
  result: StepWaitResult | undefined,
): boolean {
  if (!result) throw new Error("a wait has no result");
  if (result.kind === "refused") {
    failStep(loaded, step_ref, result.error);
    return true;
  }
  const step = stepOf(loaded, step_ref);
  step.event_trigger_id = result.trigger_id;
  addDecision(loaded, "wait", step_ref, reason);
  if (result.kind === "received") {
    completeStep(loaded, step_ref, result.payload, "its event was already buffered");
    return true;
  }
  step.status = "waiting";
  if (rendered.type === "approval" && rendered.message !== null) step.message = rendered.message;
  return false;
}

function newWait({ run, version, steps }: LoadedRun, { step_ref, rendered }: StepStart) {
  const definition = version.byRef.get(step_ref) as WaitStep | SleepStep | ApprovalStep;
  const step = steps.get(step_ref);
  return {
    id: newId(),
    project_id: run.project_id,
    environment_id: run.environment_id,
    workflow_run_id: run.id,
    workflow_step_run_id: step?.id ?? "",
    generation: step?.generation ?? 1,
    wait_kind: rendered.type === "wait_for_event" ? "event" : (rendered.type as "sleep" | "approval"),
    event_key: rendered.type === "wait_for_event" ? rendered.event_key : null,
    timeout_secs: rendered.type === "sleep" ? rendered.secs : (definition as WaitStep | ApprovalStep).timeout_secs,
    notify_url: definition.type === "wait_for_event" ? definition.notify_url : null,
  } as const;
}

/** Undefined: the workflow run cannot be created, and the step has failed. */
async function startSubWorkflow(tx: Ctx, { loaded, start }: PlannedStart): Promise<Start | undefined> {
  const { step_ref, rendered, reason } = start;
  if (rendered.type !== "sub_workflow") throw new Error("not a sub_workflow step");
  const { workflow_id } = loaded.version.byRef.get(step_ref) as SubWorkflowStep;
  const step = stepOf(loaded, step_ref);
  const request = { workflow_id, step_ref, generation: step.generation, payload: rendered.payload };
  const prepared = await prepareChild(tx, loaded.run, request);
  if ("code" in prepared) {
    failStep(loaded, step_ref, prepared);
    return undefined;
  }
  step.status = "running";
  step.child_workflow_run_id = prepared.run.id;
  addDecision(loaded, "start", step_ref, reason);
  return { loaded, step_ref, child: prepared.run };
}

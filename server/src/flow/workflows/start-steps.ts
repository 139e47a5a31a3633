import type { Ctx, InTransaction } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { NewRun } from "../new-run.ts";
import { prepareRun, type Trigger } from "../prepare-run.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../triggerable-job.ts";
import type { WaitNews } from "../waits/news.ts";
import { newsOfStepWaits, openStepWaits, type StepWaitResult } from "../waits/open-step-waits.ts";
import type { ApprovalStep, JobStep, SleepStep, WaitStep } from "./definition.ts";
import type { StepStart } from "./plan-run.ts";
import { completeStep, failStep, note, type RunInHand, stepOf } from "./run-in-hand.ts";

/** A step and the run that is to be born for it. */
export type JobStart = { hand: RunInHand; step_ref: string; run: NewRun };

type Asked = { hand: RunInHand; start: StepStart };

/**
 * Starts steps in hand: job steps get a run that is ready to be born, the others a trigger. `again`: runs in which a
 * step came to its end at once, by a refusal or an event that was there already, so that they are to be planned again.
 */
export async function startSteps(
  tx: Ctx & InTransaction,
  asked: readonly Asked[],
  heldKeys: ReadonlySet<string>,
): Promise<{ jobs: JobStart[]; again: Set<RunInHand>; news: WaitNews[] }> {
  const again = new Set<RunInHand>();
  const jobs: JobStart[] = [];
  const waits: Asked[] = [];
  for (const each of asked) {
    const { hand, start } = each;
    if (start.condition !== null) note(hand, "condition", start.step_ref, "its condition is true");
    if (start.rendered.type !== "job") {
      if (isDeferred(each, heldKeys)) hand.deferred.set(start.step_ref, eventKeyOf(start) ?? "");
      else waits.push(each);
      continue;
    }
    const run = await prepareJob(tx, each);
    if (run) jobs.push({ hand, step_ref: start.step_ref, run });
    else again.add(hand);
  }
  if (waits.length === 0) return { jobs, again, news: [] };
  const opened = await openWaits(tx, waits);
  for (const hand of opened.again) again.add(hand);
  return { jobs, again, news: [opened.news] };
}

/** Between looking for a buffered event and waiting, no send may come: the key is locked before the workflow run. */
function isDeferred({ hand, start }: Asked, heldKeys: ReadonlySet<string>): boolean {
  const key = eventKeyOf(start);
  return key !== undefined && !heldKeys.has(heldKey(hand.run.project_id, key));
}

export function heldKey(project_id: string, event_key: string): string {
  return `${project_id}/${event_key}`;
}

function eventKeyOf({ rendered }: StepStart): string | undefined {
  return rendered.type === "wait_for_event" ? rendered.event_key : undefined;
}

/** Undefined: the job refuses it, and the step has failed. */
async function prepareJob(tx: Ctx, { hand, start }: Asked): Promise<NewRun | undefined> {
  const { step_ref, reason } = start;
  const { job_id } = hand.version.byRef.get(step_ref) as JobStep;
  const known = tryPrepare(await findCachedJob(tx, hand.run.project_id, job_id), hand, start);
  // What a cached job refuses may be out of date: it is asked again.
  const isRefused = known instanceof Refusal;
  const run = isRefused ? tryPrepare(await findTriggerableJob(tx, hand.run.project_id, job_id), hand, start) : known;
  if (run instanceof Refusal) {
    failStep(hand, step_ref, { code: run.code, message: run.message });
    return undefined;
  }
  if (!run) {
    failStep(hand, step_ref, { code: "job_not_found", message: "The job of the step does not exist any more." });
    return undefined;
  }
  const inHand = stepOf(hand, step_ref);
  inHand.status = "running";
  inHand.run_id = run.id;
  note(hand, "start", step_ref, reason);
  return run;
}

/** Undefined: there is no such job. */
function tryPrepare(job: TriggerableJob | undefined, hand: RunInHand, start: StepStart): NewRun | Refusal | undefined {
  try {
    return job && prepareRun(job, triggerOf(hand, start));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function triggerOf({ run, version, steps }: RunInHand, { step_ref, rendered }: StepStart): Trigger {
  const step = version.byRef.get(step_ref) as JobStep;
  if (rendered.type !== "job") throw new Error("not a job step");
  const { timeout_secs, max_attempts, priority } = step;
  return {
    payload: rendered.payload,
    parent_outputs: rendered.parent_outputs,
    concurrency_key: rendered.concurrency_key,
    metadata: run.metadata,
    tags: run.tags,
    environment_id: run.environment_id,
    workflow_run_id: run.id,
    step_ref,
    step_generation: steps.get(step_ref)?.generation ?? 1,
    created_by: `workflow_run:${run.id}`,
    trigger_type: "workflow",
    ...(timeout_secs !== null && { timeout_secs }),
    ...(max_attempts !== null && { max_attempts }),
    ...(priority !== null && { priority }),
  };
}

/** `again`: the runs in which a wait was over before it began. */
async function openWaits(tx: Ctx & InTransaction, asked: readonly Asked[]) {
  const waits = asked.map(({ hand, start }) => newWait(hand, start));
  const results = await openStepWaits(tx, waits);
  const again = asked.filter((each, nth) => isOver(each, results[nth])).map(({ hand }) => hand);
  return { again, news: newsOfStepWaits(waits, results) };
}

function isOver({ hand, start: { step_ref, reason } }: Asked, result: StepWaitResult | undefined): boolean {
  if (!result) throw new Error("a wait was not answered");
  if (result.kind === "refused") {
    failStep(hand, step_ref, result.error);
    return true;
  }
  const step = stepOf(hand, step_ref);
  step.event_trigger_id = result.trigger_id;
  note(hand, "wait", step_ref, reason);
  if (result.kind === "received") {
    completeStep(hand, step_ref, result.payload, "an event was waiting for it");
    return true;
  }
  step.status = "waiting";
  return false;
}

function newWait({ run, version, steps }: RunInHand, { step_ref, rendered }: StepStart) {
  const step = version.byRef.get(step_ref) as WaitStep | SleepStep | ApprovalStep;
  const inHand = steps.get(step_ref);
  return {
    id: newId(),
    project_id: run.project_id,
    environment_id: run.environment_id,
    workflow_run_id: run.id,
    workflow_step_run_id: inHand?.id ?? "",
    generation: inHand?.generation ?? 1,
    wait_kind: rendered.type === "wait_for_event" ? "event" : (rendered.type as "sleep" | "approval"),
    event_key: rendered.type === "wait_for_event" ? rendered.event_key : null,
    timeout_secs: rendered.type === "sleep" ? rendered.secs : (step as WaitStep | ApprovalStep).timeout_secs,
    notify_url: step.type === "wait_for_event" ? step.notify_url : null,
  } as const;
}

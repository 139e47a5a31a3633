import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { releaseSlots } from "../../limits/release-slots.ts";
import { countTransitions } from "../../runs/count-transitions.ts";
import { countTriggers } from "../count-triggers.ts";
import { countCreatedTriggers, notifyTriggers } from "../notify-triggers.ts";
import type { TriggerRow } from "../read-trigger.ts";
import { resumeRuns } from "../resolve/resume-runs.ts";
import { notifyReceived } from "../send/notify-received.ts";
import { creationOf, insertTriggers, type NewTrigger } from "./insert-triggers.ts";
import { requireQuota } from "./require-quota.ts";
import { suspendRun } from "./suspend-run.ts";

export type NewRunWait = Pick<NewTrigger, "id" | "wait_kind" | "received"> &
  Partial<Pick<NewTrigger, "event_key" | "child_run_id" | "timeout_secs" | "until" | "notify_url">>;

/**
 * Suspends the calling run until its trigger ends. If its event has already arrived, it is queued again at once. Call
 * it under the fence, and under the lock of the key if there is one. The quota comes last, since its refusal rolls back
 * all the rest.
 */
export async function openRunWait(tx: RunCtx & InTransaction, wait: NewRunWait): Promise<TriggerRow> {
  const { environment_id, ordinal, slots } = await suspendRun(tx);
  const [trigger] = await insertTriggers(tx, [triggerOf(tx, wait, { environment_id, ordinal })]);
  if (!trigger) throw new Error("the wait was not created");
  await releaseSlots(tx, tx.project_id, slots);
  countTransitions(tx, [{ from_status: "running", to_status: "waiting" }]);
  const isReceived = trigger.status === "received";
  if (isReceived) await resumeRuns(tx, [waitingRun(tx, trigger)]);
  if (!isReceived && trigger.wait_kind === "event") await requireQuota(tx, tx.project_id);
  await countTriggers(tx, [creationOf(trigger)]);
  if (isReceived) await notifyReceived(tx, [trigger]);
  notifyTriggers(tx, [{ project_id: trigger.project_id, trigger_id: trigger.id }]);
  countCreatedTriggers(tx, [trigger], Number(isReceived && trigger.wait_kind === "event"));
  return trigger;
}

function waitingRun({ project_id, run_id }: RunCtx, { id }: TriggerRow) {
  return { project_id, run_id, trigger_id: id };
}

function triggerOf(
  { project_id, run_id }: RunCtx,
  wait: NewRunWait,
  of: { environment_id: string; ordinal: number },
): NewTrigger {
  return {
    event_key: null,
    child_run_id: null,
    timeout_secs: null,
    until: null,
    notify_url: null,
    ...wait,
    ...of,
    project_id,
    job_run_id: run_id,
    workflow_run_id: null,
    workflow_step_run_id: null,
    generation: null,
  };
}

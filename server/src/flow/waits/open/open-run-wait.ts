import { sql } from "kysely";
import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { releaseSlots } from "../../limits/unblock-next.ts";
import { countTransitions } from "../../runs/count-transitions.ts";
import { countTriggers } from "../count-triggers.ts";
import { countCreatedTriggers, notifyTriggers } from "../notify-triggers.ts";
import type { TriggerRow } from "../read-trigger.ts";
import { resumeRuns } from "../resolve/resume-runs.ts";
import { notifyReceived } from "../send/notify-received.ts";
import { creationOf, insertTriggers, type NewTrigger } from "./insert-triggers.ts";
import { requireQuota } from "./require-quota.ts";

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

/** A run that has left its attempt and waits. */
type SuspendedRun = {
  environment_id: string;
  /** The number of this wait among those of the run. */
  ordinal: number;
  /** The slots it held, to be released. */
  slots: string[];
};

/**
 * Detaches the calling attempt: the run waits, and its lease ends with its queue row, so a later response of the
 * endpoint is ignored. Call it under the fence. A run whose workflow run was canceled opens no wait.
 */
async function suspendRun(tx: RunCtx & InTransaction): Promise<SuspendedRun> {
  const { rows } = await sql<Omit<SuspendedRun, "slots"> & { slots: string[] | null; stopped: string | null }>`
    /* prepared */
    with left_queue as (
      delete from run_queue where project_id = ${tx.project_id} and run_id = ${tx.run_id} returning slots, stopped
    ),
    moved as (
      update runs r set prev_status = r.status, status = 'waiting', moves = r.moves + 1, waits = r.waits + 1,
        updated_at = clock()
      where r.project_id = ${tx.project_id} and r.id = ${tx.run_id} and r.attempt = ${tx.attempt}
        and r.status = 'running'
      returning r.project_id, r.id, r.environment_id, r.moves, r.waits, r.attempt
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, moves, 'running', 'waiting', 'waiting', attempt, clock() from moved
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select m.environment_id, m.waits as ordinal, q.slots, q.stopped from moved m, left_queue q`.execute(tx.db);
  changesAppended(tx, "run");
  if (!rows[0]) throw new Error("the fenced run was not found");
  const { environment_id, ordinal, slots, stopped } = rows[0];
  if (stopped === "cancel") throw new ApiError("run_already_ended", "The run was canceled: it is about to end.");
  return { environment_id, ordinal, slots: slots ?? [] };
}

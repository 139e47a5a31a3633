import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { groupBy } from "../../platform/group-by.ts";
import type { OutboxEntry } from "../../platform/outbox/enqueue-outbox.ts";
import { type EndedChild, endOfChild } from "../waits/await-child.ts";
import { resumeRuns, timeOutRuns, type WaitingRun } from "../waits/end-run-waits.ts";
import { type EndedTrigger, endTriggers, type TriggerEnd } from "../waits/end-triggers.ts";
import {
  countEndedTriggers,
  notifyReceived,
  notifyTriggers,
  type TriggerKey,
  updateTriggerCounts,
} from "../waits/trigger-changes.ts";
import { endWaitingSteps, type WaitEnd } from "../workflows/progress/end-waiting-steps.ts";

/**
 * Ends waits together with the runs and steps that wait: a step completes or fails, a run is queued again or times out.
 * All or nothing. For waits of steps the caller holds the locks of their workflow runs (`lockRunsOfSteps`); runs are
 * canceled by `cancelRun`, which ends their waits. Returns those that were ended here; the others had ended already.
 */
export async function resolveTriggers(
  tx: Ctx & InTransaction,
  keys: readonly TriggerKey[],
  end: TriggerEnd,
): Promise<EndedTrigger[]> {
  const triggers = await endTriggers(tx, keys, end);
  if (triggers.length === 0) return triggers;
  const runs = triggers.flatMap(waitingRunOf);
  // Pipelined, in lock order.
  await Promise.all([
    endSteps(tx, triggers),
    end.status === "received" ? resumeRuns(tx, runs) : timeOutRuns(tx, runs, end.error),
    updateTriggerCounts(
      tx,
      triggers.map(({ project_id, wait_kind, status }) => ({ project_id, wait_kind, from: "waiting", to: status })),
    ),
  ]);
  if (end.status === "received") await notifyReceived(tx, triggers);
  notifyTriggers(
    tx,
    triggers.map(({ project_id, id }) => ({ project_id, trigger_id: id })),
  );
  countEndedTriggers(tx, {
    // Only these are resolved by events; sleeps, children and approvals are not.
    received: triggers.filter(({ status, wait_kind }) => status === "received" && wait_kind === "event").length,
    timed_out: triggers.filter(({ status }) => status === "timed_out").length,
  });
  return triggers;
}

async function endSteps(tx: Ctx & InTransaction, triggers: readonly EndedTrigger[]): Promise<void> {
  const steps = triggers.filter((trigger) => trigger.source_type === "workflow_step");
  for (const [project_id, some] of groupBy(steps, (trigger) => trigger.project_id)) {
    await endWaitingSteps(tx, project_id, some.map(stepEnd));
  }
}

export const NO_REASON = { code: "event_canceled", message: "The wait was canceled." };

/** How a step ends with its wait. */
export function stepEnd(trigger: EndedTrigger): WaitEnd {
  return {
    workflow_run_id: trigger.workflow_run_id ?? "",
    step_run_id: trigger.workflow_step_run_id ?? "",
    trigger_id: trigger.id,
    generation: trigger.generation ?? 1,
    result:
      trigger.status === "received"
        ? { kind: "completed", output: trigger.payload }
        : { kind: "failed", error: trigger.error ?? NO_REASON },
  };
}

function waitingRunOf({ project_id, job_run_id, id }: EndedTrigger): WaitingRun[] {
  return job_run_id === null ? [] : [{ project_id, run_id: job_run_id, trigger_id: id }];
}

/** An awaited child has ended: the parent continues with its result. */
export async function resolveChildWait(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id: trigger_id } = entry;
  const [run_id = ""] = transition_id.split(":");
  const { rows } = await sql<EndedChild>`
    select r.status, r.result, r.error from event_triggers t
    join runs r on r.project_id = t.project_id and r.id = t.child_run_id
    where t.project_id = ${project_id} and t.id = ${trigger_id} and t.child_run_id = ${run_id}
      and r.finished_at is not null`.execute(tx.db);
  const [child] = rows;
  if (!child) return;
  const end = { status: "received", payload: endOfChild(child), sent_by: `run:${run_id}` } as const;
  await resolveTriggers(tx, [{ project_id, trigger_id }], end);
}

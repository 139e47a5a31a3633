import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { endWaitingSteps, type WaitEnd } from "../../workflows/progress/end-waiting-steps.ts";
import { countTriggers } from "../count-triggers.ts";
import { countEndedTriggers, notifyTriggers, type TriggerKey } from "../notify-triggers.ts";
import type { WaitingRun } from "../open/held-waiting.ts";
import { notifyReceived } from "../send/notify-received.ts";
import { type EndedTrigger, endTriggers, type TriggerEnd } from "./end-triggers.ts";
import { resumeRuns } from "./resume-runs.ts";
import { timeOutRuns } from "./time-out-runs.ts";

/**
 * Ends waits together with the runs and steps that wait: a step completes or fails, a run is queued again or times out.
 * All or nothing. For waits of steps the caller holds the locks of their workflow runs (`lockStepRuns`); runs are
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
    endSteps(tx, triggers, end),
    end.status === "received" ? resumeRuns(tx, runs) : timeOutRuns(tx, runs, end.error),
    countTriggers(
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
    // Sleeps, children and approvals are resolved by no event.
    received: triggers.filter(({ status, wait_kind }) => status === "received" && wait_kind === "event").length,
    timed_out: triggers.filter(({ status }) => status === "timed_out").length,
  });
  return triggers;
}

async function endSteps(tx: Ctx & InTransaction, triggers: readonly EndedTrigger[], end: TriggerEnd): Promise<void> {
  const steps = triggers.filter((trigger) => trigger.source_type === "workflow_step");
  for (const [project_id, some] of groupBy(steps, (trigger) => trigger.project_id)) {
    await endWaitingSteps(
      tx,
      project_id,
      some.map((trigger) => stepEnd(trigger, end)),
    );
  }
}

function stepEnd(trigger: EndedTrigger, end: TriggerEnd): WaitEnd {
  return {
    workflow_run_id: trigger.workflow_run_id ?? "",
    step_run_id: trigger.workflow_step_run_id ?? "",
    trigger_id: trigger.id,
    generation: trigger.generation ?? 1,
    result:
      end.status === "received" ? { kind: "completed", output: trigger.payload } : { kind: "failed", error: end.error },
  };
}

function waitingRunOf({ project_id, job_run_id, id }: EndedTrigger): WaitingRun[] {
  return job_run_id === null ? [] : [{ project_id, run_id: job_run_id, trigger_id: id }];
}

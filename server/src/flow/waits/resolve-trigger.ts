import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { endWaitingSteps, type WaitEnd } from "../workflows/end-waiting-steps.ts";
import type { WorkflowRunKey } from "../workflows/workflow-run-key.ts";
import { countTriggers } from "./count-triggers.ts";
import { type EndedTrigger, endTriggers, type TriggerEnd } from "./end-triggers.ts";
import type { WaitingRun } from "./held-waiting.ts";
import { mergeNotifications, noNotifications, type TriggerKey, type WaitNotifications } from "./notifications.ts";
import { notifyReceived } from "./notify-received.ts";
import { resumeRuns } from "./resume-runs.ts";
import { timeOutRuns } from "./time-out-runs.ts";

export type Resolved = {
  /** Those that were ended here. The others had ended already. */
  triggers: EndedTrigger[];
  notifications: WaitNotifications;
};

/**
 * Ends waits together with the runs and steps that wait: a step completes or fails, a run is queued again or times out.
 * All or nothing. For waits of steps the caller holds the locks of their workflow runs (`lockStepRuns`); runs are
 * canceled by `cancelRun`, which ends their waits. Publish the notifications after the commit.
 */
export async function resolveTriggers(
  tx: Ctx & InTransaction,
  keys: readonly TriggerKey[],
  end: TriggerEnd,
): Promise<Resolved> {
  const triggers = await endTriggers(tx, keys, end);
  if (triggers.length === 0) return { triggers, notifications: noNotifications() };
  const runs = triggers.flatMap(waitingRunOf);
  // Pipelined, in lock order.
  const [progressed, ofRuns] = await Promise.all([
    endSteps(tx, triggers, end),
    end.status === "received" ? resumeRuns(tx, runs) : timeOutRuns(tx, runs, end.error),
    countTriggers(
      tx,
      triggers.map(({ project_id, wait_kind, status }) => ({ project_id, wait_kind, from: "waiting", to: status })),
    ),
  ]);
  const hasDeliveries = end.status === "received" && (await notifyReceived(tx, triggers));
  return {
    triggers,
    notifications: mergeNotifications([ofRuns, notificationsOf(triggers, progressed, hasDeliveries)]),
  };
}

async function endSteps(
  tx: Ctx & InTransaction,
  triggers: readonly EndedTrigger[],
  end: TriggerEnd,
): Promise<WorkflowRunKey[]> {
  const steps = triggers.filter((trigger) => trigger.source_type === "workflow_step");
  const progressed: WorkflowRunKey[] = [];
  for (const [project_id, some] of groupBy(steps, (trigger) => trigger.project_id)) {
    const ids = await endWaitingSteps(
      tx,
      project_id,
      some.map((trigger) => stepEnd(trigger, end)),
    );
    progressed.push(...ids.map((workflow_run_id) => ({ project_id, workflow_run_id })));
  }
  return progressed;
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

function notificationsOf(
  triggers: readonly EndedTrigger[],
  progressed: WorkflowRunKey[],
  hasDeliveries: boolean,
): WaitNotifications {
  return {
    ...noNotifications(),
    // Sleeps, children and approvals are resolved by no event.
    received: triggers.filter(({ status, wait_kind }) => status === "received" && wait_kind === "event").length,
    timed_out: triggers.filter(({ status }) => status === "timed_out").length,
    changed: triggers.map(({ project_id, id }) => ({ project_id, trigger_id: id })),
    progressed,
    hasDeliveries,
  };
}

import type { Ctx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { cancelRun } from "../../runs/stop/cancel-runs.ts";
import { endWaitingSteps, lockStepRuns } from "../../workflows/progress/end-waiting-steps.ts";
import type { EndedTrigger } from "../resolve/end-triggers.ts";
import { resumeRuns } from "../resolve/resume-runs.ts";
import { timeOutRuns } from "../resolve/time-out-runs.ts";

const NO_REASON = { code: "event_canceled", message: "The wait was canceled." };

/** Applies the end of these triggers again to the runs and steps that still wait on them. */
export async function repairForgotten(
  ctx: Ctx,
  forgotten: readonly EndedTrigger[],
): Promise<{ resumed: number; ended: number }> {
  const done = { resumed: 0, ended: 0 };
  for (const trigger of forgotten) {
    const isRepaired = await (trigger.job_run_id === null
      ? endStep(ctx, trigger)
      : endRun(ctx, trigger.job_run_id, trigger));
    if (isRepaired) done[trigger.status === "received" ? "resumed" : "ended"]++;
  }
  return done;
}

async function endRun(ctx: Ctx, run_id: string, trigger: EndedTrigger): Promise<boolean> {
  const { project_id, status, id: trigger_id, error } = trigger;
  const reason = error ?? NO_REASON;
  if (status === "canceled") {
    const order = {
      project_id,
      run_id,
      cause: "event_canceled",
      reason: reason.message,
      by: { id: null, name: "reconciliation" },
    } as const;
    return (await cancelRun(ctx, order)).canceled;
  }
  const runs = [{ project_id, run_id, trigger_id }];
  const moved = await inTransaction(ctx, (tx) =>
    status === "received" ? resumeRuns(tx, runs) : timeOutRuns(tx, runs, reason),
  );
  return moved > 0;
}

async function endStep(ctx: Ctx, trigger: EndedTrigger): Promise<boolean> {
  const { project_id, id: trigger_id, workflow_run_id, workflow_step_run_id, generation, status, payload } = trigger;
  const end = {
    workflow_run_id: workflow_run_id ?? "",
    step_run_id: workflow_step_run_id ?? "",
    trigger_id,
    generation: generation ?? 1,
    result:
      status === "received"
        ? ({ kind: "completed", output: payload } as const)
        : ({ kind: "failed", error: trigger.error ?? NO_REASON } as const),
  };
  return inTransaction(ctx, async (tx) => {
    await lockStepRuns(tx, project_id, [end.workflow_run_id]);
    return (await endWaitingSteps(tx, project_id, [end])) > 0;
  });
}

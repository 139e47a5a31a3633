import type { Ctx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { countRepairs } from "../../platform/repairs.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { resumeRuns, timeOutRuns } from "../waits/end-run-waits.ts";
import type { EndedTrigger } from "../waits/end-triggers.ts";
import { recountTriggers } from "../waits/recount-triggers.ts";
import { endWaitingSteps, lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { findUnapplied } from "./find-unapplied.ts";
import { repairStranded } from "./repair-stranded.ts";
import { resolveDueTriggers } from "./resolve-due-triggers.ts";
import { NO_REASON, stepEnd } from "./resolve-triggers.ts";

/**
 * The reconciliation of waits: ends those that a timer has missed, continues runs and steps whose wait has ended or is
 * gone, queues runs that are missing in the queue, and repairs counts. In a correct system it finds nothing to repair; repairs are logged and counted.
 */
export async function reconcileTriggers(ctx: Ctx): Promise<boolean> {
  await resolveDueTriggers(ctx);
  const { resumed, ended } = await repairUnapplied(ctx, await findUnapplied(ctx));
  const { queued, stranded } = await repairStranded(ctx);
  const recounted = await recountTriggers(ctx);
  const repairs = {
    waits_resumed: resumed,
    waits_ended: ended,
    waits_stranded: stranded,
    queued,
    triggers_recounted: recounted,
  };
  await countRepairs(ctx, repairs);
  if (resumed + ended + stranded + queued + recounted > 0) ctx.log.error(repairs, "waits were inconsistent; repaired");
  return false;
}

/** Applies the end of these triggers again to the runs and steps that still wait on them. */
async function repairUnapplied(
  ctx: Ctx,
  unapplied: readonly EndedTrigger[],
): Promise<{ resumed: number; ended: number }> {
  const done = { resumed: 0, ended: 0 };
  for (const trigger of unapplied) {
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
    const request = {
      project_id,
      run_id,
      cause: "event_canceled",
      reason: reason.message,
      by: { id: null, name: "reconciliation" },
    } as const;
    return (await cancelRun(ctx, request)).canceled;
  }
  const runs = [{ project_id, run_id, trigger_id }];
  const moved = await inTransaction(ctx, (tx) =>
    status === "received" ? resumeRuns(tx, runs) : timeOutRuns(tx, runs, reason),
  );
  return moved > 0;
}

async function endStep(ctx: Ctx, trigger: EndedTrigger): Promise<boolean> {
  const { project_id } = trigger;
  const end = stepEnd(trigger);
  return inTransaction(ctx, async (tx) => {
    await lockRunsOfSteps(tx, project_id, [end.workflow_run_id]);
    return (await endWaitingSteps(tx, project_id, [end])) > 0;
  });
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Alongside, changeWorkflowRun, type Told } from "./change-workflow-run.ts";
import { leadChildren } from "./lead-children.ts";
import { passSlotOn } from "./pass-slot-on.ts";
import { recordDecisions } from "./record-decisions.ts";
import { refuseEndedWorkflowRun } from "./refuse-ended-workflow-run.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/**
 * Nothing starts in a paused workflow run. What runs goes on to its end, waits take their events, sleeps sleep on, and
 * all of it counts when the run is resumed. The workflow runs that its steps have started are paused with it. False: there is no such workflow run.
 */
export function pauseWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: string,
  alongside: Alongside<C>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseEndedWorkflowRun(run);
    if (run.status === "paused") return undefined;
    const told = await pauseLocked(tx, run, by);
    await alongside(tx, run);
    return told;
  });
}

/** One that is locked, and pending or running. */
export async function pauseLocked(tx: Ctx & InTransaction, run: LockedWorkflowRun, by: string): Promise<Told> {
  const key = { project_id: run.project_id, workflow_run_id: run.id };
  await sql`
    update workflow_runs set prev_status = status, status = 'paused', moves = moves + 1, paused_at = clock(),
      updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id} and status in ('pending', 'running')`.execute(tx.db);
  const freed = await passSlotOn(tx, run);
  await recordDecisions(tx, key, [{ step_ref: null, decision_type: "pause", reason: `Paused by ${by}.` }]);
  return { freed, has_effects: await leadChildren(tx, run) };
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Alongside, changeWorkflowRun, type Told } from "./change-workflow-run.ts";
import { leadChildren } from "./lead-children.ts";
import { recordDecisions } from "./record-decisions.ts";
import { refuseEndedWorkflowRun } from "./refuse-ended-workflow-run.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/**
 * Lets a paused workflow run go on. Its deadline moves by the time it was paused; one that had not started goes back
 * into the line, and asks for its slot anew. The workflow runs that its steps have started go on with it. False: there is no such workflow run.
 */
export function resumeWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: string,
  alongside: Alongside<C>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseEndedWorkflowRun(run);
    if (run.status !== "paused") return undefined;
    const told = await resumeLocked(tx, run, by);
    await alongside(tx, run);
    return told;
  });
}

/** One that is locked, and paused. */
export async function resumeLocked(tx: Ctx & InTransaction, run: LockedWorkflowRun, by: string): Promise<Told> {
  const key = { project_id: run.project_id, workflow_run_id: run.id };
  await sql`
    update workflow_runs set prev_status = status, moves = moves + 1,
      status = case when started_at is null then 'pending' else 'running' end,
      deadline = deadline + (clock() - paused_at), paused_at = null, parked_on = null, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id} and status = 'paused'`.execute(tx.db);
  await recordDecisions(tx, key, [{ step_ref: null, decision_type: "resume", reason: `Resumed by ${by}.` }]);
  return { freed: true, has_effects: await leadChildren(tx, run) };
}

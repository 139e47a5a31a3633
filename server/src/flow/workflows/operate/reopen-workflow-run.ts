import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { hasEnded } from "../../runs/states.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { takeSlot } from "../start/workflow-slots.ts";

/**
 * Reopens a workflow run some of whose steps were reset: it runs again, with its full timeout. It takes a slot of
 * `max_concurrent_runs` even if none is free: it had started before, and pending runs keep waiting. Only an ended run
 * is reopened: an active one keeps its status.
 */
export async function reopenWorkflowRun(tx: Ctx & InTransaction, run: LockedWorkflowRun): Promise<void> {
  const wasOver = hasEnded(run.status);
  const failed = sql`(
    select count(*) from step_runs s
    where s.project_id = ${run.project_id} and s.workflow_run_id = ${run.id} and s.status = 'failed')`;
  if (!wasOver) {
    await sql`
      update workflow_runs set error_count = ${failed}, blocked_on = null, updated_at = clock()
      where project_id = ${run.project_id} and id = ${run.id}`.execute(tx.db);
    return;
  }
  await takeSlot(tx, run);
  await sql`
    update workflow_runs set prev_status = status, status = 'running', moves = moves + 1, phase = null, error = null,
      error_count = ${failed}, holds_slot = true, blocked_on = null, started_at = coalesce(started_at, clock()),
      deadline = clock() + timeout_secs * interval '1 second', paused_at = null, finished_at = null, updated_at = clock()
    where project_id = ${run.project_id} and id = ${run.id}
      and status in ('completed', 'failed', 'timed_out', 'canceled')`.execute(tx.db);
}

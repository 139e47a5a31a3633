import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { isConnectionLoss } from "../../../platform/database/database-errors.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { type DueRows, hasDue, processDue } from "../../runs/maintain/process-due-rows.ts";
import { endWorkflowRuns } from "../progress/end-workflow-runs.ts";
import { lockWorkflowRuns } from "../progress/load-runs.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import { notifyWorkflowRuns, type WorkflowRunKey } from "../workflow-run-changes.ts";

const PAGE = 100;
const DEADLINES: DueRows = {
  name: "time-out-workflow-runs",
  rows: sql`workflow_runs t where t.status = 'running' and t.deadline is not null`,
  at: sql`t.deadline`,
};

/** A workflow run is past its deadline. */
export const HAS_LATE_WORKFLOW_RUNS = hasDue(DEADLINES);

/** Ends workflow runs that are past their `timeout_secs`, with everything open in them. */
export function timeOutWorkflowRuns(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, DEADLINES, PAGE, async (ofProject, max) => {
    const late = await listLate(ctx, ofProject, max);
    if (late.length > 0) await timeOutSome(ctx, late);
    return late.length;
  });
}

/** Together; one by one if that fails: one that is too large for a statement must not block the others. */
async function timeOutSome(ctx: Ctx, late: readonly WorkflowRunKey[]): Promise<void> {
  try {
    await inTransaction(ctx, (tx) => timeOut(tx, late));
  } catch (error) {
    if (late.length === 1 || isConnectionLoss(error)) throw error;
    for (const one of late) {
      await timeOutSome(ctx, [one]).catch((reason: unknown) =>
        logFailure(ctx, reason, one, "a workflow run could not be timed out"),
      );
    }
  }
}

async function listLate(ctx: Ctx, ofProject: Sql, max: number): Promise<WorkflowRunKey[]> {
  const { rows } = await sql<WorkflowRunKey>`
    /* prepared */
    select project_id, id as workflow_run_id from workflow_runs
    where status = 'running' and deadline is not null and deadline <= clock() ${ofProject}
    order by deadline limit ${sql.lit(max)}`.execute(ctx.db);
  return rows;
}

/** Checked again under the lock: it may have ended, or been paused, which moves its deadline. */
async function timeOut(tx: Ctx & InTransaction, late: readonly WorkflowRunKey[]): Promise<void> {
  const locked = await lockWorkflowRuns(tx, late);
  const { rows } = await sql<{ id: string; timeout_secs: number; failed: number }>`
    select w.id, w.timeout_secs, (
      select count(*) from step_runs s
      where s.project_id = w.project_id and s.workflow_run_id = w.id and s.status = 'failed')::int as failed
    from json_to_recordset(${JSON.stringify(late)}::json) as g(project_id uuid, workflow_run_id uuid)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id
    where w.status = 'running' and w.deadline <= clock()`.execute(tx.db);
  const ends = rows.flatMap(({ id, timeout_secs, failed }) => {
    const run = locked.find((each) => each.id === id);
    const message = `The workflow run took longer than its timeout_secs, ${timeout_secs}.`;
    const error = { code: "workflow_timeout", message };
    const why = { cause: "workflow_timed_out", cause_ref: null, reason: message } as const;
    return run ? [{ run, status: "timed_out" as const, error, error_count: failed, ...why }] : [];
  });
  progressSoon(tx, await endWorkflowRuns(tx, ends));
  notifyWorkflowRuns(
    tx,
    ends.map(({ run }) => ({ project_id: run.project_id, workflow_run_id: run.id })),
  );
}

import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { hasEnded } from "../../runs/states.ts";
import { canceledError } from "../../runs/stop/canceled-error.ts";
import { type Alongside, changeWorkflowRun } from "../change-workflow-run.ts";
import { endWorkflowRuns } from "../progress/end-workflow-runs.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { stopBelow } from "./stop-below.ts";

type CancelReason = {
  /** The code of its error. */
  cause: "canceled" | "overlap" | "workflow_deadlock";
  /** Stored in its error. Null: the error names who canceled it. */
  reason: string | null;
  by: Actor;
};

type CancelOutcome = {
  canceled: boolean;
  /** The workflow run's previous status. Undefined: there is no such workflow run. */
  status: string | undefined;
  /** How many job runs of its steps are canceled after it. */
  job_runs: number;
};

/**
 * Ends a workflow run with its steps and waits. The same commit stops its descendants: none is claimed anymore, and
 * they are ended later. Steps with compensations are compensated first.
 */
export async function cancelWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  reason: CancelReason,
  alongside?: Alongside<C>,
): Promise<CancelOutcome> {
  let outcome: CancelOutcome = { canceled: false, status: undefined, job_runs: 0 };
  await changeWorkflowRun(ctx, key, async (tx, run) => {
    outcome = { canceled: false, status: run.status, job_runs: 0 };
    // A compensating run is ending already: a second cancel changes nothing.
    if (hasEnded(run.status) || run.planned_end) return false;
    const { failed, running } = await countSteps(tx, run);
    await stopBelow(tx, { project_id: run.project_id, workflow_run_ids: [run.id] });
    await endAsCanceled(tx, run, reason, failed);
    wake(tx, "outbox");
    await alongside?.(tx, run);
    outcome = { canceled: true, status: run.status, job_runs: running };
    return true;
  });
  return outcome;
}

async function endAsCanceled(
  tx: Ctx & InTransaction,
  run: LockedWorkflowRun,
  canceled: CancelReason,
  error_count: number,
): Promise<void> {
  const error = canceledError(canceled.cause, canceled);
  const why = { cause: "workflow_canceled", cause_ref: null, reason: error.message, by: canceled.by } as const;
  const end = { run, status: "canceled", error, error_count, ...why } as const;
  progressSoon(tx, await endWorkflowRuns(tx, [end], { isStopped: true }));
}

async function countSteps(tx: Ctx & InTransaction, run: LockedWorkflowRun) {
  const { rows } = await sql<{ failed: number; running: number }>`
    select count(*) filter (where status = 'failed')::int as failed,
      (count(*) filter (where status = 'running' and run_id is not null) + coalesce((
        select sum(m.running) from map_steps m
        where m.project_id = ${run.project_id} and m.workflow_run_id = ${run.id}), 0))::int as running
    from step_runs where project_id = ${run.project_id} and workflow_run_id = ${run.id}`.execute(tx.db);
  return rows[0] ?? { failed: 0, running: 0 };
}

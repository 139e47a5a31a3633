import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import { hasEnded } from "../../runs/states.ts";
import { endWorkflowRuns } from "../progress/end-workflow-runs.ts";
import { lockWorkflowRuns } from "../progress/load-runs.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import { notifyWorkflowRuns } from "../workflow-run-changes.ts";

/**
 * Cancels workflow runs of one project whose steps in a parent were canceled, skipped or reset, all in one transaction.
 * Ended ones are left as they are, and so are compensating ones: they are ending already.
 */
export async function cancelChildren(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<void> {
  const project_id = entries[0]?.project_id ?? "";
  const reasons = new Map(entries.map(({ target_id, detail }) => [target_id, (detail as { reason: string }).reason]));
  await inTransaction(ctx, (tx) => cancelAll(tx, project_id, reasons));
}

async function cancelAll(
  tx: Ctx & InTransaction,
  project_id: string,
  reasons: ReadonlyMap<string, string>,
): Promise<void> {
  const keys = [...reasons.keys()].map((workflow_run_id) => ({ project_id, workflow_run_id }));
  const locked = await lockWorkflowRuns(tx, keys);
  const live = locked.filter(({ status, planned_end }) => !hasEnded(status) && planned_end === null);
  const failed = await countFailed(
    tx,
    project_id,
    live.map(({ id }) => id),
  );
  const ends = live.map((run) => {
    const reason = reasons.get(run.id) ?? "";
    const error = { code: "canceled", message: reason };
    const why = { cause: "workflow_canceled", cause_ref: null, reason } as const;
    return { run, status: "canceled" as const, error, error_count: failed.get(run.id) ?? 0, ...why };
  });
  progressSoon(tx, await endWorkflowRuns(tx, ends));
  notifyWorkflowRuns(
    tx,
    live.map(({ id: workflow_run_id }) => ({ project_id, workflow_run_id })),
  );
}

async function countFailed(tx: Ctx, project_id: string, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; failed: number }>`
    select workflow_run_id as id, count(*)::int as failed from step_runs
    where project_id = ${project_id} and workflow_run_id = any(${[...ids]}::uuid[]) and status = 'failed'
    group by workflow_run_id`.execute(tx.db);
  return new Map(rows.map((row) => [row.id, row.failed]));
}

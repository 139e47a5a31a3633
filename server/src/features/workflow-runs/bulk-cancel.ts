import type { BulkCancelWorkflowRuns, BulkCancelWorkflowRunsResult } from "@millrace/contract/workflow-runs";
import { cancelWorkflowRun } from "../../flow/workflows/cancel-workflow-run.ts";
import { refuseEndedWorkflowRun } from "../../flow/workflows/refuse-ended-workflow-run.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound, Refusal } from "../../platform/errors.ts";
import { advanceBatch } from "../../platform/ledger/advance-batch.ts";
import { trackBatch } from "../../platform/ledger/track-batch.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";

type ItemResult = BulkCancelWorkflowRunsResult["results"][number];
type Batch = { batch_id: string; reason: string | null };

/**
 * Cancels many workflow runs as a batch operation that is finished when it is answered. Each is canceled in a
 * transaction of its own, in which its item is noted: one that cannot be canceled fails alone.
 */
export async function bulkCancel(ctx: ProjectCtx, body: BulkCancelWorkflowRuns): Promise<BulkCancelWorkflowRunsResult> {
  const { workflow_run_ids } = body;
  const reason = body.reason ?? null;
  const batch_id = await inTransaction(ctx, (tx) =>
    trackBatch(tx, { kind: "cancel_workflow_runs", total: workflow_run_ids.length, request: { reason } }),
  );
  const results: ItemResult[] = [];
  for (const [index, id] of workflow_run_ids.entries()) {
    results.push(await cancelItem(ctx, { batch_id, reason }, index, id));
  }
  ctx.metrics.bulkOperations.inc();
  ctx.metrics.bulkItemsProcessed.inc(results.length);
  return { batch_id, results };
}

async function cancelItem(ctx: ProjectCtx, batch: Batch, index: number, id: string): Promise<ItemResult> {
  try {
    await cancelOne(ctx, batch, index, id);
    return { index, workflow_run_id: id, status: "canceled", error: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    await inTransaction(ctx, (tx) => noteItem(tx, batch, { item_index: index, target_id: id, error: message }));
    return { index, workflow_run_id: id, status: "failed", error: { code, message } };
  }
}

async function cancelOne(ctx: ProjectCtx, batch: Batch, index: number, id: string): Promise<void> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const { batch_id, reason } = batch;
  const why = { cause: "canceled", reason, by: ctx.caller.name } as const;
  const after = { status: "canceled", reason, batch_id };
  const outcome = await cancelWorkflowRun(ctx, { project_id, workflow_run_id }, why, async (tx, { status }) => {
    await noteItem(tx, batch, { item_index: index, target_id: id });
    await auditWorkflowRun(tx, { action: "canceled", workflow_run_id, before: { status }, after });
  });
  if (outcome.status === undefined) throw notFound("workflow run");
  if (!outcome.canceled) refuseEndedWorkflowRun({ status: outcome.status });
  ctx.metrics.bulkChildCancellations.inc(outcome.job_runs);
}

async function noteItem(
  tx: ProjectCtx & InTransaction,
  { batch_id }: Batch,
  item: { item_index: number; target_id: string; error?: string },
): Promise<void> {
  const status = item.error === undefined ? "succeeded" : "failed";
  await advanceBatch(tx, { project_id: tx.project_id, batch_id }, [{ ...item, status }]);
}

import type { BulkCancelWorkflowRuns, BulkCancelWorkflowRunsResult } from "@millrace/contract/workflows/workflow-runs";
import { refuseEndedWorkflowRun } from "../../flow/workflows/change-workflow-run.ts";
import { cancelWorkflowRun } from "../../flow/workflows/stop/cancel-workflow-run.ts";
import { type Actor, actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { advanceBatch, type BatchItem } from "../../platform/batches/advance-batch.ts";
import { creatorOf, type HeldBatch } from "../../platform/batches/claim-batch.ts";
import { readRecorded } from "../../platform/batches/read-batch.ts";
import { trackBatch } from "../../platform/batches/track-batch.ts";
import { workOnBatch } from "../../platform/batches/work-on-batch.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { getWorkflowRun } from "./queries.ts";

type ItemResult = BulkCancelWorkflowRunsResult["results"][number];
const BULK_CANCEL_KIND = "cancel_workflow_runs";

export type BulkCancelBatch = {
  batch_id: string;
  reason: string | null;
  by: Actor;
  /** A task finishes it after a crash; the request was audited by then. */
  isResumed?: boolean;
};

/**
 * Cancels many workflow runs and returns a finished batch operation. Each is canceled in its own transaction, which
 * also records its item: one that cannot be canceled fails alone.
 */
export async function bulkCancel(ctx: ProjectCtx, body: BulkCancelWorkflowRuns): Promise<BulkCancelWorkflowRunsResult> {
  const workflow_run_ids = [...new Set(body.workflow_run_ids)];
  const reason = body.reason ?? null;
  const request = { workflow_run_ids, reason };
  const by = actorOf(ctx.caller);
  const batch_id = await inTransaction(ctx, async (tx) => {
    const id = await trackBatch(tx, { kind: BULK_CANCEL_KIND, total: workflow_run_ids.length, request });
    const resource = { resource_type: "batch_operation", resource_id: id };
    await recordAudit(tx, { action: "workflow_run.bulk_canceled", ...resource, after: request });
    tx.afterCommit(({ metrics }) => metrics.bulkOperations.inc());
    return id;
  });
  const results: ItemResult[] = [];
  for (const [index, id] of workflow_run_ids.entries()) {
    results.push(await cancelItem(ctx, { batch_id, reason, by }, index, id));
  }
  return { batch_id, results };
}

/** Cancels it and records its item in one transaction, or records why it could not be canceled. */
export async function cancelItem(
  ctx: ProjectCtx,
  batch: BulkCancelBatch,
  index: number,
  id: string,
): Promise<ItemResult> {
  try {
    await cancelOne(ctx, batch, index, id);
    return { index, workflow_run_id: id, status: "canceled", error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    await inTransaction(ctx, (tx) =>
      recordItem(tx, batch, { item_index: index, target_id: id, error: message, error_code: code }),
    );
    return { index, workflow_run_id: id, status: "failed", error: { code, message } };
  }
}

async function cancelOne(ctx: ProjectCtx, batch: BulkCancelBatch, index: number, id: string): Promise<void> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const { batch_id, reason, by } = batch;
  const why = { cause: "canceled", reason, by } as const;
  const after = { status: "canceled", reason, batch_id };
  const outcome = await cancelWorkflowRun(ctx, { project_id, workflow_run_id }, why, async (tx, { status }) => {
    const isNew = await recordItem(tx, batch, { item_index: index, target_id: id });
    if (!isNew)
      throw new ApiError("conflict", "The batch operation was canceled, or another instance has processed this item.");
    if (batch.isResumed) return;
    await auditWorkflowRun(tx, { action: "canceled", workflow_run_id, before: { status }, after });
  });
  if (outcome.status === undefined) throw notFound("workflow run");
  if (!outcome.canceled) {
    if (outcome.status !== "canceled") refuseEndedWorkflowRun({ status: outcome.status });
    // Nothing is left to do: it is canceled, or it is compensating and will end.
    await inTransaction(ctx, (tx) => recordItem(tx, batch, { item_index: index, target_id: id }));
  }
  ctx.metrics.bulkChildCancellations.inc(outcome.job_runs);
}

async function recordItem(
  tx: ProjectCtx & InTransaction,
  { batch_id }: BulkCancelBatch,
  item: Omit<BatchItem, "status">,
): Promise<boolean> {
  const status = item.error === undefined ? "succeeded" : "failed";
  const noted = await advanceBatch(tx, { project_id: tx.project_id, batch_id }, [{ ...item, status }]);
  tx.afterCommit(({ metrics }) => metrics.bulkItemsProcessed.inc(noted));
  return noted > 0;
}

/** Longer than a hundred cancellations take: the instance that started it is gone. */
const IDLE_SECS = 60;

/** Finishes bulk cancels interrupted by a crash: processes the items that were not recorded. */
export function finishBulkCancels(ctx: Ctx): Promise<boolean> {
  return workOnBatch(ctx, {
    pages: { [BULK_CANCEL_KIND]: finish },
    failure: "finishing a bulk cancel failed",
    idle_secs: IDLE_SECS,
  });
}

/** At most a hundred, so the rest is one page. */
async function finish(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  const { workflow_run_ids, reason } = batch.request as { workflow_run_ids: string[]; reason: string | null };
  const key = { project_id: batch.project_id, batch_id: batch.id };
  const noted = await readRecorded(ctx, key);
  for (const [index, id] of workflow_run_ids.entries()) {
    if (noted.has(index)) continue;
    await cancelItem(ctx, { batch_id: batch.id, reason, by: creatorOf(batch), isResumed: true }, index, id);
  }
}

import type { BulkCancelRuns, BulkCancelRunsResult } from "@millrace/contract/bulk-runs";
import { endedError } from "../../../flow/runs/change-run.ts";
import { cancelRuns, type ManyCanceled } from "../../../flow/runs/stop/cancel-runs.ts";
import { actorOf } from "../../../platform/actor.ts";
import { advanceBatch } from "../../../platform/batches/advance-batch.ts";
import { trackBatch } from "../../../platform/batches/track-batch.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { auditBulk } from "./bulk-audit.ts";
import { findNamed } from "./bulk-queries.ts";

type ItemResult = BulkCancelRunsResult["results"][number];

/**
 * Cancels many runs and their descendants in one transaction, and returns a finished batch operation. A run that cannot
 * be canceled fails alone.
 */
export async function bulkCancel(ctx: ProjectCtx, body: BulkCancelRuns): Promise<BulkCancelRunsResult> {
  const run_ids = [...new Set(body.run_ids)];
  const reason = body.reason ?? null;
  const named = await findNamed(ctx, run_ids);
  return cancelRuns(ctx, async (tx, cancel) => {
    const batch_id = await trackBatch(tx, { kind: "cancel", total: run_ids.length, request: { run_ids, reason } });
    const { project_id, caller } = tx;
    const outcome = await cancel({ project_id, run_ids: [...named.keys()], reason, by: actorOf(caller) });
    const results = run_ids.map((run_id, index) => resultOf(outcome, run_id, index));
    await noteResults(tx, batch_id, results);
    const canceled = results.filter(({ status }) => status === "canceled").length;
    await auditBulk(tx, { action: "bulk_canceled", batch_id, after: { run_ids, reason, canceled } });
    tx.afterCommit(({ metrics }) => {
      metrics.bulkOperations.inc();
      metrics.bulkItemsProcessed.inc(run_ids.length);
    });
    return { batch_id, results };
  });
}

function resultOf({ canceled, before }: ManyCanceled, run_id: string, index: number): ItemResult {
  if (canceled.has(run_id)) return { index, run_id, status: "canceled", error: null };
  const status = before.get(run_id);
  const { code, message } = status === undefined ? notFound("run") : endedError(status);
  return { index, run_id, status: "failed", error: { code, message } };
}

function noteResults(tx: ProjectCtx & InTransaction, batch_id: string, results: readonly ItemResult[]) {
  return advanceBatch(
    tx,
    { project_id: tx.project_id, batch_id },
    results.map(({ index, run_id, error }) => ({
      item_index: index,
      target_id: run_id,
      status: error ? "failed" : "succeeded",
      ...(error && { error: error.message, error_code: error.code }),
    })),
  );
}

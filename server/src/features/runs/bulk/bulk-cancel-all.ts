import type { BulkCancelAll, BulkCancelAllPreview } from "@millrace/contract/bulk-runs";
import { stopQueuedRuns } from "../../../flow/runs/stop/stop-queued.ts";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import type { BatchRow } from "../../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { orderBatch } from "./bulk-order.ts";
import { planCancel, type RunSelection, selectLive } from "./bulk-selection.ts";
import { countFitting, findNext, type Walk } from "./bulk-walk.ts";

/**
 * Creates a batch that cancels all matching runs and stops the queued ones at once; a task cancels them
 * (`bulk-work.ts`).
 */
export async function bulkCancelAll(
  callerCtx: ProjectCtx,
  { filter, reason, dry_run }: BulkCancelAll,
  reply: RouteReply,
): Promise<BatchRow | Omit<BulkCancelAllPreview, "$schema">> {
  const ctx = await withDeniesToo(callerCtx, "runs:read");
  const plan = await planCancel(ctx, filter);
  const count = await countFitting(ctx, selectLive(ctx, plan));
  if (dry_run) {
    reply.status(200);
    return { dry_run: true, count };
  }
  const request = { filter, reason: reason ?? null };
  const action = "bulk_canceled_all";
  const batch = await orderBatch(ctx, { kind: "cancel_all", total: count ?? 0, request, plan, action });
  await stopSelection(ctx, selectLive(ctx, plan), batch);
  return batch;
}

const PAGE = 1_000;
/** Bounds the time to the response; runs beyond it are stopped when the batch reaches them. */
const MAX_PAGES = 20;

/**
 * Stops the queued runs that a bulk cancel selects before the request returns, so that none of them is claimed anymore.
 */
async function stopSelection(ctx: ProjectCtx, selection: RunSelection, until: Walk["until"]): Promise<void> {
  const walk: Walk = { selection: { ...selection, sources: ["queue"] }, until };
  let cursor: unknown = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await findNext(ctx, walk, cursor, PAGE);
    const run_ids = found.runs.map((run) => run.id);
    if (run_ids.length > 0) {
      await inTransaction(ctx, (tx) => stopQueuedRuns(tx, ctx.project_id, run_ids, "batch"));
    }
    if (found.is_over) return;
    cursor = found.cursor;
  }
}

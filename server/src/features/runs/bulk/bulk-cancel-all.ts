import type { BulkCancelAll, BulkCancelAllPreview } from "@millrace/contract/bulk-runs";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import type { BatchRow } from "../../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { orderBatch } from "./bulk-order.ts";
import { planCancel, selectLive } from "./bulk-selection.ts";
import { stopSelection } from "./bulk-stop.ts";
import { countFitting } from "./bulk-walk.ts";

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

import type { BulkReplayDeadLetters } from "@millrace/contract/bulk-runs";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import { triggerDenials } from "../../../platform/access/policies/refuse-denied-trigger.ts";
import type { BatchRow } from "../../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { runsDeniedById } from "../search/runs-denied-by-id.ts";
import { orderBatch } from "./bulk-order.ts";
import { planDlqReplay, selectDeadLetters } from "./bulk-selection.ts";
import { countFitting } from "./bulk-walk.ts";

/** Creates a batch that replays dead letters, by id or by filter; a task replays them (`bulk-work.ts`). */
export async function bulkDlqReplay(ctx: ProjectCtx, body: BulkReplayDeadLetters): Promise<BatchRow> {
  const { run_ids, filter, limit } = body;
  const order = { kind: "dlq_replay" as const, action: "bulk_dlq_replayed" };
  // The task has no principal that policies could match, so they are evaluated now.
  const trigger_denials = await triggerDenials(ctx, "job");
  if (run_ids !== undefined) {
    if (filter !== undefined) throw invalid("body.filter", "cannot be given together with run_ids", filter);
    if (limit !== undefined) throw invalid("body.limit", "cannot be given together with run_ids", limit);
    const denied_run_ids = [...(await runsDeniedById(ctx)).keys()];
    return orderBatch(ctx, {
      ...order,
      total: run_ids.length,
      request: { run_ids },
      plan: { denied_run_ids, trigger_denials },
    });
  }
  if (filter === undefined) throw invalid("body", "must have either run_ids or filter", null);
  const reader = await withDeniesToo(ctx, "runs:read");
  const plan = await planDlqReplay(reader, filter);
  const count = await countFitting(reader, selectDeadLetters(reader, plan));
  const max = limit ?? null;
  return orderBatch(reader, {
    ...order,
    total: Math.min(count ?? 0, max ?? Number.POSITIVE_INFINITY),
    request: { filter, limit: max },
    plan: { ...plan, trigger_denials },
  });
}

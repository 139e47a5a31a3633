import type { BulkReplayDeadLetters, BulkReplayRuns, BulkReplayRunsResult } from "@millrace/contract/runs/bulk-runs";
import { type ReplayOutcome, replayRuns } from "../../../flow/runs/replay/replay-runs.ts";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import { triggerDenials } from "../../../platform/access/policies/refuse-denied.ts";
import { actorOf } from "../../../platform/actor.ts";
import { advanceBatch, type BatchItem } from "../../../platform/batches/advance-batch.ts";
import type { BatchRow } from "../../../platform/batches/read-batch.ts";
import { trackBatch } from "../../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { type ApiError, invalid, notFound } from "../../../platform/errors/errors.ts";
import { planDlqReplay, selectDeadLetters } from "./bulk-selection.ts";
import { countFitting, findNamed } from "./bulk-walk.ts";
import { auditBulk, startBatch } from "./start-batch.ts";
import { runsDeniedById, untriggerableRuns } from "./untriggerable-runs.ts";

type ItemResult = BulkReplayRunsResult["results"][number];

/**
 * Replays many ended runs in one transaction, each as a new run with the batch id, and returns a finished batch
 * operation. A rejected run fails alone.
 */
export async function bulkReplay(ctx: ProjectCtx, { run_ids }: BulkReplayRuns): Promise<BulkReplayRunsResult> {
  const named = await findNamed(ctx, run_ids);
  for (const run_id of (await runsDeniedById(ctx)).keys()) named.delete(run_id);
  const refused = await untriggerableRuns(ctx, await triggerDenials(ctx, "job"), [...named.keys()]);
  return inTransaction(ctx, async (tx) => {
    const { project_id, caller } = tx;
    const batch_id = await trackBatch(tx, { kind: "replay", total: run_ids.length, request: { run_ids } });
    const allowed = [...named.keys()].filter((run_id) => !refused.has(run_id));
    const order = { project_id, run_ids: allowed, by: actorOf(caller), batch_id, isDeadLetters: false };
    const outcomes = await replayRuns(tx, order);
    const results = run_ids.map((run_id, index) => resultOf(outcomes.get(run_id), refused.get(run_id), run_id, index));
    await advanceBatch(tx, { project_id, batch_id }, results.map(itemOf));
    const created = results.filter(({ status }) => status === "created").length;
    await auditBulk(tx, { action: "bulk_replayed", batch_id, after: { run_ids, created } });
    tx.afterCommit(({ metrics }) => {
      metrics.bulkOperations.inc();
      metrics.bulkItemsProcessed.inc(run_ids.length);
    });
    return { dry_run: false, batch_id, results };
  });
}

function resultOf(
  outcome: ReplayOutcome | undefined,
  refused: ApiError | undefined,
  replay_of: string,
  index: number,
): ItemResult {
  if (outcome && "replayed_as" in outcome)
    return { index, run_id: outcome.replayed_as, replay_of, status: "created", error: null };
  const { code, message } = outcome?.apiError ?? refused ?? notFound("run");
  return { index, run_id: null, replay_of, status: "failed", error: { code, message } };
}

function itemOf({ index, run_id, replay_of, error }: ItemResult): BatchItem {
  const item = { item_index: index, target_id: replay_of };
  if (error) return { ...item, status: "failed", error: error.message, error_code: error.code };
  return { ...item, status: "succeeded", detail: { replayed_as: run_id } };
}

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
    return startBatch(ctx, {
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
  return startBatch(reader, {
    ...order,
    total: Math.min(count ?? 0, max ?? Number.POSITIVE_INFINITY),
    request: { filter, limit: max },
    plan: { ...plan, trigger_denials },
  });
}

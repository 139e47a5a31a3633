import type {
  BulkCancelAll,
  BulkCancelAllPreview,
  BulkCancelRuns,
  BulkCancelRunsResult,
} from "@millrace/contract/runs/bulk-runs";
import { endedError } from "../../../flow/runs/change-run.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import { cancelRuns, type ManyCanceled } from "../../../flow/runs/stop/cancel-runs.ts";
import { releaseBatchStops } from "../../../flow/runs/stop/release-batch-stops.ts";
import { stopQueuedRuns } from "../../../flow/runs/stop/stop-queued.ts";
import { withDeniesToo } from "../../../platform/access/policies/policies.ts";
import { actorOf } from "../../../platform/actor.ts";
import { advanceBatch, type BatchItem } from "../../../platform/batches/advance-batch.ts";
import { creatorOf, type HeldBatch, lockBatch } from "../../../platform/batches/claim-batch.ts";
import type { BatchRow } from "../../../platform/batches/read-batch.ts";
import { trackBatch } from "../../../platform/batches/track-batch.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { planCancel, type RunSelection, selectLive } from "./bulk-selection.ts";
import { countFitting, filterMatching, findNamed, findNext, type Walk } from "./bulk-walk.ts";
import { auditBulk, startBatch } from "./start-batch.ts";

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
    await recordResults(tx, batch_id, results);
    const after = { run_ids, reason, canceled: outcome.canceled.size };
    await auditBulk(tx, { action: "bulk_canceled", batch_id, after });
    tx.afterCommit(({ metrics }) => {
      metrics.bulkOperations.inc();
      metrics.bulkItemsProcessed.inc(run_ids.length);
    });
    return { batch_id, results };
  });
}

function resultOf({ canceled, before }: ManyCanceled, run_id: string, index: number): ItemResult {
  const status = before.get(run_id);
  if (canceled.has(run_id) || status === "canceled") return { index, run_id, status: "canceled", error: null };
  const { code, message } = status === undefined ? notFound("run") : endedError(status);
  return { index, run_id, status: "failed", error: { code, message } };
}

function recordResults(tx: ProjectCtx & InTransaction, batch_id: string, results: readonly ItemResult[]) {
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
  const batch = await startBatch(ctx, { kind: "cancel_all", total: count ?? 0, request, plan, action });
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

/** Small enough that a report from a running run does not wait long for its row lock; claims skip stopped runs. */
const RUNS_AT_ONCE = 100;

/** Cancels the next matching runs with their descendants and advances the cursor, in one transaction. */
export async function cancelPage(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  const { reason } = batch.request as { reason: string | null };
  const { project_id, id: batch_id } = batch;
  const by = creatorOf(batch);
  const selection = selectLive(ctx, batch.plan);
  let isOver = false;
  await cancelRuns(ctx, async (tx, cancel) => {
    const progress = await lockBatch(tx, batch);
    if (!progress) return;
    const { runs, cursor, is_over } = await findNext(tx, { selection, until: batch }, progress.walk, RUNS_AT_ONCE);
    isOver = is_over;
    const run_ids = runs.map((run) => run.id);
    const chosen = (locked: ProjectCtx) => filterMatching(locked, selection, run_ids);
    const outcome = runs.length > 0 ? await cancel({ project_id, run_ids, reason, by, chosen }) : NOTHING;
    const items = run_ids.map((run_id, nth) => itemOf(outcome, run_id, progress.processed + nth));
    const noted = await advanceBatch(tx, { project_id, batch_id }, items, { cursor, is_over });
    tx.afterCommit(({ metrics }) => metrics.bulkItemsProcessed.inc(noted));
  });
  if (isOver) await releaseBatchStops(ctx, project_id);
}

const NOTHING: ManyCanceled = { canceled: new Set(), before: new Map() };

function itemOf({ canceled, before }: ManyCanceled, target_id: string, item_index: number): BatchItem {
  const item = { item_index, target_id };
  if (canceled.has(target_id)) return { ...item, status: "succeeded" };
  const status = before.get(target_id);
  if (status !== undefined && hasEnded(status)) {
    const { code, message } = endedError(status);
    return { ...item, status: "skipped", error: message, error_code: code };
  }
  const message = "The run no longer matches the filter.";
  return { ...item, status: "skipped", error: message, error_code: "no_longer_fits" };
}

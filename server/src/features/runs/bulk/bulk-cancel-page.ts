import { endedError } from "../../../flow/runs/change-run.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import { cancelRuns, type ManyCanceled } from "../../../flow/runs/stop/cancel-runs.ts";
import { releaseBatchStops } from "../../../flow/runs/stop/release-batch-stops.ts";
import { advanceBatch, type BatchItem } from "../../../platform/batches/advance-batch.ts";
import { type HeldBatch, lockBatch, orderedBy } from "../../../platform/batches/claim-batch.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { selectLive } from "./bulk-selection.ts";
import { findNext, stillFitting } from "./bulk-walk.ts";

/** Small enough that a report from a running run does not wait long for its row lock; claims skip stopped runs. */
const PAGE = 100;

/** Cancels the next matching runs with their descendants and advances the cursor, in one transaction. */
export async function cancelPage(ctx: ProjectCtx, batch: HeldBatch): Promise<void> {
  const { reason } = batch.request as { reason: string | null };
  const { project_id, id: batch_id } = batch;
  const by = orderedBy(batch);
  const selection = selectLive(ctx, batch.plan);
  let isOver = false;
  await cancelRuns(ctx, async (tx, cancel) => {
    const progress = await lockBatch(tx, batch);
    if (!progress) return;
    const { runs, cursor, is_over } = await findNext(tx, { selection, until: batch }, progress.walk, PAGE);
    isOver = is_over;
    const run_ids = runs.map((run) => run.id);
    const chosen = (locked: ProjectCtx) => stillFitting(locked, selection, run_ids);
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

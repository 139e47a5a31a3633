import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { isConnectionLoss, isDatabaseTimeout } from "../../platform/database/database-errors.ts";
import { actingFor } from "../../platform/ledger/acting-for.ts";
import { noteBatchFailure } from "../../platform/ledger/end-batch.ts";
import { giveBatchBack, type HeldBatch, takeBatch } from "../../platform/ledger/take-batch.ts";
import { tellFailure } from "../../platform/tell-failure.ts";
import { cancelPage } from "./bulk-cancel-page.ts";
import { replayPage } from "./bulk-replay-page.ts";

const PAGES: Record<string, (ctx: ProjectCtx, batch: HeldBatch) => Promise<void>> = {
  cancel_all: cancelPage,
  dlq_replay: replayPage,
};

/**
 * A small page of the batch that was left alone the longest. The place it has reached moves in the transaction that acts,
 * so that a crash loses nothing and nothing is done twice.
 */
export async function workOnBatches(ctx: Ctx): Promise<boolean> {
  const batch = await takeBatch(ctx, { kinds: Object.keys(PAGES), idle_secs: 0 });
  if (!batch) return false;
  try {
    await PAGES[batch.kind]?.(actingFor(ctx, batch), batch);
  } catch (error) {
    if (isConnectionLoss(error)) {
      // No fault of the batch: it is tried again when the database is back.
      await giveBatchBack(ctx, batch);
      throw error;
    }
    tellFailure(ctx, error, { batch_id: batch.id }, "a page of a batch failed");
    // A database that is busy may need a while; one page that is too much for it never ends.
    await noteBatchFailure(ctx, batch, (error as Error).message, isDatabaseTimeout(error) ? 50 : undefined);
    return false;
  }
  await giveBatchBack(ctx, batch);
  return true;
}

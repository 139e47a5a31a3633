import type { Ctx, ProjectCtx } from "../context.ts";
import { isConnectionLoss, isDatabaseTimeout } from "../database/database-errors.ts";
import { logFailure } from "../log-failure.ts";
import { noteBatchFailure } from "./end-batch.ts";
import { onBehalfOf } from "./on-behalf-of.ts";
import { giveBatchBack, type HeldBatch, takeBatch } from "./take-batch.ts";

/**
 * Acts on the next items, as the one who ordered the batch. The place it has reached moves in the transaction that acts
 * (`lockBatch`, `advanceBatch`), so that a crash loses nothing and nothing is done twice.
 */
type BatchPage = (ctx: ProjectCtx, batch: HeldBatch) => Promise<void>;

type BatchWork = {
  /** By the kind of batch. Batches of other kinds are left alone. */
  pages: Record<string, BatchPage>;
  /** What is told of a page that failed. */
  failure: string;
  /** Only a batch that nobody has touched for so long: whoever else works on it has died. At once when absent. */
  idle_secs?: number;
  /** After so many timeouts in a row a batch is given up; as after other failures when absent. */
  mostTimeouts?: number;
};

/** One page of the batch that was left alone the longest. Answers whether another is due at once. */
export async function workOnBatch(ctx: Ctx, work: BatchWork): Promise<boolean> {
  const { pages, failure, idle_secs = 0, mostTimeouts } = work;
  const batch = await takeBatch(ctx, { kinds: Object.keys(pages), idle_secs });
  if (!batch) return false;
  try {
    await pages[batch.kind]?.(onBehalfOf(ctx, batch), batch);
  } catch (error) {
    if (isConnectionLoss(error)) {
      // No issue of the batch: it is tried again when the database is back.
      await giveBatchBack(ctx, batch);
      throw error;
    }
    logFailure(ctx, error, { batch_id: batch.id }, failure);
    await noteBatchFailure(ctx, batch, (error as Error).message, isDatabaseTimeout(error) ? mostTimeouts : undefined);
    return false;
  }
  await giveBatchBack(ctx, batch);
  return true;
}

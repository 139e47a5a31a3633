import type { Ctx } from "../platform/context.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import type { Loop } from "../platform/loop.ts";

/** One turn of a duty, if it has work. True: more is due right now. */
export async function runTurn(ctx: Ctx, loop: Loop): Promise<boolean> {
  return (await hasWork(ctx, loop)) && loop.runOnce(ctx);
}

async function hasWork(ctx: Ctx, loop: Loop): Promise<boolean> {
  if (!loop.hasWork) return true;
  try {
    return await loop.hasWork(ctx);
  } catch (error) {
    // The turn takes another connection, and tells when there is none.
    if (isConnectionLoss(error)) return true;
    throw error;
  }
}

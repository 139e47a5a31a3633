import { expect } from "vitest";
import type { InTransaction, ProjectCtx } from "../../src/platform/context.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";

/** Runs the work and rolls it back. */
export async function rollBack(
  ctx: ProjectCtx,
  work: (tx: ProjectCtx & InTransaction) => Promise<unknown>,
): Promise<void> {
  const undo = new Error("undo");
  const attempt = inTransaction(ctx, async (tx) => {
    await work(tx);
    throw undo;
  });
  await expect(attempt).rejects.toBe(undo);
}

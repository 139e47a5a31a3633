import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { type BatchRow, readBatch } from "../../platform/ledger/read-batch.ts";

export async function getBatchOperation(ctx: ProjectCtx, id: string): Promise<BatchRow> {
  const batch = await readBatch(ctx, id);
  if (!batch) throw notFound("batch operation");
  return batch;
}

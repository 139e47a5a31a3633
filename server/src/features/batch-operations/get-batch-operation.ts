import { type BatchRow, readBatch } from "../../platform/batches/read-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";

export async function getBatchOperation(ctx: ProjectCtx, id: string): Promise<BatchRow> {
  const batch = await readBatch(ctx, id);
  if (!batch) throw notFound("batch operation");
  return batch;
}

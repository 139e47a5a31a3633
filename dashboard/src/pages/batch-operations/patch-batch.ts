import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { totalOf } from "./batch-kinds.ts";

/** Applies a stream change, which has all counts but no percentage. */
export function patchBatch(batch: BatchOperation, { type, at, object }: StreamChange): BatchOperation {
  if (type !== "batch.progress" || at < batch.updated_at) return batch;
  const next = { ...batch, ...(object as Partial<BatchOperation>), updated_at: at };
  const percent = next.status === "completed" ? 100 : Math.floor((100 * next.processed) / Math.max(1, totalOf(next)));
  return { ...next, percent };
}

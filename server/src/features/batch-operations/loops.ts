import { removeOldBatches } from "../../platform/ledger/remove-old-batches.ts";
import { type Loop, RETENTION_RESTS } from "../../platform/loop.ts";

export const batchOperationLoops: Loop[] = [
  { name: "remove-old-batches", everyMs: 60_000, oneInstance: true, rests: RETENTION_RESTS, runOnce: removeOldBatches },
];

import type { BatchOperation, BulkCancelAll, BulkCancelAllPreview } from "../generated/schemas.ts";
import type { ClientCore } from "./create-core.ts";

export type CancelWhereFn = (
  filter: BulkCancelAll["filter"],
  options?: { dryRun?: boolean; reason?: string; signal?: AbortSignal },
) => Promise<BulkCancelAllPreview | BatchOperation>;

/** Cancels every matching run. With `dryRun`, returns how many there are. */
export function cancelWhereOf(core: ClientCore): CancelWhereFn {
  return (filter, { dryRun, reason, signal } = {}) =>
    core.request("POST", "/v1/runs/bulk-cancel-all", {
      body: { filter, ...(dryRun !== undefined && { dry_run: dryRun }), ...(reason !== undefined && { reason }) },
      signal,
    });
}

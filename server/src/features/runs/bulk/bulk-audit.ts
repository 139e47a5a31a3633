import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";

type BulkCall = { action: string; batch_id: string; after: object };

/** One event for the whole call; the batch operation holds the outcome of each run. */
export function auditBulk(tx: ProjectCtx & InTransaction, { action, batch_id, after }: BulkCall): Promise<void> {
  return recordAudit(tx, {
    action: `run.${action}`,
    resource_type: "batch_operation",
    resource_id: batch_id,
    after,
  });
}

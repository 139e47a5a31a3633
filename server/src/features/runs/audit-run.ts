import { type AuditEntry, recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";

type RunChange = Pick<AuditEntry, "before" | "after"> & { action: string; run_id: string };

/** Records the action on a run without the run's data: payloads must not outlive their run in the audit log. */
export function auditRun(tx: ProjectCtx & InTransaction, { action, run_id, ...change }: RunChange): Promise<void> {
  return recordAudit(tx, { action: `run.${action}`, resource_type: "run", resource_id: run_id, ...change });
}

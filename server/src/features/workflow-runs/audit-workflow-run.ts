import { type AuditEntry, recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";

type WorkflowRunChange = Pick<AuditEntry, "before" | "after"> & { action: string; workflow_run_id: string };

/** What was done to a workflow run, without what it holds: payloads do not outlive their run in the audit log. */
export function auditWorkflowRun(
  tx: ProjectCtx & InTransaction,
  { action, workflow_run_id, ...change }: WorkflowRunChange,
): Promise<void> {
  return recordAudit(tx, {
    action: `workflow_run.${action}`,
    resource_type: "workflow_run",
    resource_id: workflow_run_id,
    ...change,
  });
}

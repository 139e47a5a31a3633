import { type AuditEntry, recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";

type WorkflowRunChange = Pick<AuditEntry, "before" | "after"> & { action: string; workflow_run_id: string };

/**
 * Records the action on a workflow run without the run's data: payloads must not outlive their run in the audit log.
 */
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

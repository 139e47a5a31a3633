import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { findWorkflowVersion } from "../start/workflow-version.ts";

/** The caller who decides, and the names by which a step may list them. */
export type Decider = { by: Actor; names: readonly string[] };

type ApprovalKey = { project_id: string; version_id: string; step_ref: string };

/**
 * Only the approvers may decide an approval step, in any way: approve, reject, skip, or cancel its wait. A step without
 * approvers may be decided by every caller who may write workflows.
 */
export async function refuseUnauthorized(tx: Ctx, approval: ApprovalKey, { by, names }: Decider): Promise<void> {
  const { byRef } = await findWorkflowVersion(tx, approval.project_id, approval.version_id);
  const step = byRef.get(approval.step_ref);
  const approvers = step?.type === "approval" ? step.approvers : [];
  if (approvers.length === 0 || names.some((name) => approvers.includes(name))) return;
  throw new ApiError("not_an_approver", `${by.name} is not among the approvers of the step ${approval.step_ref}.`);
}

/** The same by the wait of the step, whose workflow run is locked. */
export async function refuseUnauthorizedWait(
  tx: Ctx & InTransaction,
  trigger: { project_id: string; workflow_run_id: string | null; workflow_step_run_id: string | null },
  decider: Decider,
): Promise<void> {
  const { rows } = await sql<ApprovalKey>`
    select w.project_id, w.version_id, s.step_ref from workflow_runs w
    join step_runs s on s.project_id = w.project_id and s.workflow_run_id = w.id and s.id = ${trigger.workflow_step_run_id}
    where w.project_id = ${trigger.project_id} and w.id = ${trigger.workflow_run_id}`.execute(tx.db);
  for (const approval of rows) await refuseUnauthorized(tx, approval, decider);
}

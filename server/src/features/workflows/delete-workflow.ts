import { removeSchedulesOf } from "../../flow/schedules/keep-default-schedule.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { type InUse, inUseIssues } from "../../platform/errors/in-use-issues.ts";
import { listParents } from "./hold-workflows.ts";
import { lockWorkflowToDelete, markDeleted } from "./queries.ts";
import { refuseBeyondKey } from "./validate/references.ts";

/**
 * Deleted for every caller at once, with its schedules. Its runs finish and stay readable; the row is purged when no
 * run references it anymore.
 */
export async function deleteWorkflow(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockWorkflowToDelete(tx, ref);
    if (!before) throw notFound("workflow");
    refuseBeyondKey(tx, before.environment_id);
    refuseInUse(await listParents(tx, before.id));
    await removeSchedulesOf(tx, { project_id: tx.project_id, workflow_id: before.id });
    await markDeleted(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.deleted",
      resource_type: "workflow",
      resource_id: before.id,
      before,
    });
  });
}

function refuseInUse(parents: InUse[]): void {
  if (parents.length === 0) return;
  const errors = inUseIssues(parents, "path.workflowID", ({ name }) => `the workflow "${name}" uses it in a step`);
  const by = errors.map(({ message }) => message).join("; ");
  throw new ApiError("workflow_in_use", `The workflow is in use: ${by}.`, { errors });
}

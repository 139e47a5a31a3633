import type { Workflow } from "@millrace/contract/workflows";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { refuseDuringCanary } from "../canaries/refuse-during-canary.ts";
import { getWorkflow } from "../get-workflow.ts";
import { lockWorkflow } from "../queries.ts";
import { refuseBeyondKey } from "../validate/references.ts";
import { updateWorkflowRow } from "../write-workflow.ts";
import { deployVersion } from "./deploy-version.ts";
import { reportReplaced } from "./replaced-version.ts";
import { findVersion } from "./version-queries.ts";

/** Makes a stored version the one that new runs use. Runs in flight keep theirs. */
export async function activateVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<Workflow> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockWorkflow(tx, ref);
    if (!before) throw notFound("workflow");
    refuseBeyondKey(tx, before.environment_id);
    const version = await findVersion(tx, before.id, version_id);
    if (!version) throw notFound("version of the workflow");
    if (version.id === before.version_id) return before;
    await refuseDuringCanary(tx, before, "Promote it or roll it back first.");
    await deployVersion(tx, version);
    await updateWorkflowRow(tx, { ...before, version_id: version.id, current_version: version.version });
    const after = await getWorkflow(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.version_activated",
      resource_type: "workflow",
      resource_id: before.id,
      before,
      after,
    });
    return { ...after, ...(await reportReplaced(tx, before, after, version.breaking_change)) };
  });
}

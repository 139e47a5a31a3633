import { isDeepStrictEqual } from "node:util";
import type {
  ChangedWorkflowPolicy,
  PutWorkflowPolicy,
  PutWorkflowPolicyQuery,
} from "@millrace/contract/workflow-policies";
import { NO_POLICY } from "../../flow/workflows/start/find-policy.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { getPolicy } from "./get-policy.ts";
import { ownProject, refuseBoundKey } from "./own-project.ts";
import { previewPolicy } from "./preview-policy.ts";
import { writePolicy } from "./queries.ts";

type Changed = Omit<ChangedWorkflowPolicy, "$schema">;

/** Applies to workflows saved from now on; existing ones stay unchanged. */
export async function putPolicy(
  ctx: CallerCtx,
  project: string,
  body: PutWorkflowPolicy,
  { dry_run = false }: PutWorkflowPolicyQuery,
): Promise<Changed> {
  const policy = { ...NO_POLICY, ...body };
  const own = await ownProject(ctx, project);
  refuseBoundKey(own);
  if (dry_run) return { ...(await getPolicy(own, project)), ...policy, preview: await previewPolicy(own, policy) };
  return inTransaction(own, async (tx) => {
    const before = await getPolicy(tx, own.project_id);
    if (isDeepStrictEqual({ ...before, ...policy }, before)) return before;
    await writePolicy(tx, policy);
    const after = await getPolicy(tx, own.project_id);
    await recordAudit(tx, {
      action: "workflow_policy.updated",
      resource_type: "workflow_policy",
      resource_id: own.project_id,
      before,
      after,
    });
    return after;
  });
}

import { isDeepStrictEqual } from "node:util";
import type {
  ChangedWorkflowPolicy,
  PutWorkflowPolicy,
  PutWorkflowPolicyQuery,
} from "@millrace/contract/workflow-policies";
import { NO_POLICY, policyViolations, type WorkflowPolicy } from "../../flow/workflows/start/workflow-policy.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { getPolicy } from "./get-policy.ts";
import { ownProject, refuseBoundKey } from "./own-project.ts";
import { listCurrentSteps, writePolicy } from "./queries.ts";

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

type Preview = NonNullable<ChangedWorkflowPolicy["preview"]>;

const PAGE = 200;
const MAX_REPORTED = 100; // workflows, and violations of each

/** Checks the current version of every workflow of the project, page by page. */
async function previewPolicy(ctx: ProjectCtx, policy: WorkflowPolicy): Promise<Preview> {
  const preview: Preview = { checked_count: 0, violating_count: 0, violating: [] };
  let last: string | undefined;
  for (;;) {
    const page = await listCurrentSteps(ctx, last, PAGE);
    for (const { steps, ...workflow } of page) {
      const violations = policyViolations(policy, steps, "steps").slice(0, MAX_REPORTED);
      preview.checked_count++;
      if (violations.length === 0) continue;
      preview.violating_count++;
      if (preview.violating.length < MAX_REPORTED) preview.violating.push({ ...workflow, violations });
    }
    if (page.length < PAGE) return preview;
    last = page.at(-1)?.workflow_id;
  }
}

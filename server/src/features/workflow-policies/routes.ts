import { isDeepStrictEqual } from "node:util";
import {
  ChangedWorkflowPolicy,
  PutWorkflowPolicy,
  PutWorkflowPolicyQuery,
  WorkflowPolicy,
} from "@millrace/contract/workflows/workflow-policies";
import {
  NO_POLICY,
  type WorkflowPolicy as Policy,
  policyViolations,
} from "../../flow/workflows/start/workflow-policy.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { callerRoute, type Route } from "../../platform/route.ts";
import { getPolicy, listCurrentSteps, ownProject, refuseBoundKey, writePolicy } from "./queries.ts";

export const workflowPolicyRoutes: Route[] = [
  callerRoute("GET /v1/workflow-policies/{projectID}", {
    summary: "Get the workflow policy of a project",
    scope: "workflows:read",
    response: WorkflowPolicy,
    run: (ctx, { params }) => getPolicy(ctx, params.projectID),
  }),
  callerRoute("PUT /v1/workflow-policies/{projectID}", {
    summary: "Set the workflow policy of a project, or preview which workflows would violate it",
    scope: "workflows:write",
    query: PutWorkflowPolicyQuery,
    body: PutWorkflowPolicy,
    response: ChangedWorkflowPolicy,
    run: (ctx, { params, query, body }) => putPolicy(ctx, params.projectID, body, query),
  }),
];

type Changed = Omit<ChangedWorkflowPolicy, "$schema">;

/** Applies to workflows saved from now on; existing ones stay unchanged. */
async function putPolicy(
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
async function previewPolicy(ctx: ProjectCtx, policy: Policy): Promise<Preview> {
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

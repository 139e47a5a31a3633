import type { ChangedWorkflowPolicy } from "@millrace/contract/workflow-policies";
import type { WorkflowPolicy } from "../../flow/workflows/start/find-policy.ts";
import { policyViolations } from "../../flow/workflows/start/policy-violations.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { listCurrentSteps } from "./queries.ts";

type Preview = NonNullable<ChangedWorkflowPolicy["preview"]>;

const PAGE = 200;
const MAX_REPORTED = 100; // workflows, and violations of each

/** Checks the current version of every workflow of the project, page by page. */
export async function previewPolicy(ctx: ProjectCtx, policy: WorkflowPolicy): Promise<Preview> {
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

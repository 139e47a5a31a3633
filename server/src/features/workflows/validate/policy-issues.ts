import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { policyViolations, type WorkflowPolicy } from "../../../flow/workflows/start/workflow-policy.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { throwIssues } from "../../../platform/errors/issues.ts";
import { takenSlugIssues } from "./references.ts";

type Save = {
  issues: readonly ProblemError[];
  policy: WorkflowPolicy;
  steps: readonly StepInput[];
  /** For a new workflow. */
  slug?: string | undefined;
};

/**
 * Rejects a save with all its issues and policy violations at once. A taken slug is reported with the rest; alone it is
 * detected by the insert, which cannot race.
 */
export async function refuseSave(ctx: ProjectCtx, { issues, policy, steps, slug }: Save): Promise<void> {
  const violations = policyViolations(policy, steps);
  if (issues.length + violations.length === 0) return;
  const all = [...issues, ...(await takenSlugIssues(ctx, slug))];
  if (all.length > 0) throwIssues([...all, ...violations]);
  refuseViolations(violations);
}

export function refuseViolations(violations: readonly ProblemError[]): void {
  throwIssues(violations, "policy_violated");
}

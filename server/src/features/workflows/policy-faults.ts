import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import type { WorkflowPolicy } from "../../flow/workflows/find-policy.ts";
import { policyViolations } from "../../flow/workflows/policy-violations.ts";
import { Refusal } from "../../platform/errors.ts";
import { refuseFaults } from "../../platform/refuse-faults.ts";

const MOST_TOLD = 100;

/** Everything that keeps steps from being saved, at once: what is wrong with them, and what the policy forbids. */
export function refuseSave(faults: readonly ProblemError[], policy: WorkflowPolicy, steps: readonly StepInput[]): void {
  const violations = policyViolations(policy, steps);
  if (faults.length > 0) refuseFaults([...faults, ...violations]);
  refuseViolations(violations);
}

export function refuseViolations(violations: readonly ProblemError[]): void {
  const [first] = violations;
  if (!first) return;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  const errors = violations.slice(0, MOST_TOLD);
  throw new Refusal("policy_violated", `${first.location}: ${first.message}${more}`, { errors });
}

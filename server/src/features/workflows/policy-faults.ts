import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import type { WorkflowPolicy } from "../../flow/workflows/find-policy.ts";
import { policyViolations } from "../../flow/workflows/policy-violations.ts";
import { refuseFaults } from "../../platform/refuse-faults.ts";

/** Everything that keeps steps from being saved, at once: what is wrong with them, and what the policy forbids. */
export function refuseSave(faults: readonly ProblemError[], policy: WorkflowPolicy, steps: readonly StepInput[]): void {
  const violations = policyViolations(policy, steps);
  if (faults.length > 0) refuseFaults([...faults, ...violations]);
  refuseViolations(violations);
}

export function refuseViolations(violations: readonly ProblemError[]): void {
  refuseFaults(violations, "policy_violated");
}

import { isDeepStrictEqual } from "node:util";
import type { ProblemError } from "@millrace/contract/problem";
import type { PlanWorkflow, WorkflowPlan } from "@millrace/contract/workflow-versions";
import type { StepDefinition } from "../../../flow/workflows/plan/definition.ts";
import { readEstimates } from "../../../flow/workflows/plan/read-estimates.ts";
import { findPolicy, policyViolations } from "../../../flow/workflows/start/workflow-policy.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { holdWorkflows } from "../hold-workflows.ts";
import { normalSteps } from "../validate/normal-steps.ts";
import { holdJobs } from "../validate/references.ts";
import { stepIssues } from "../validate/step-issues.ts";
import { requestedVersion } from "../versions/requested-version.ts";
import type { VersionRow } from "../versions/version-queries.ts";
import { overrideSteps } from "./override-steps.ts";
import { presentPlan } from "./present-plan.ts";

/**
 * Previews saving the steps, including issues. Needs a transaction because it locks references like a save; writes
 * nothing.
 */
export async function planWorkflow(
  ctx: ProjectCtx,
  ref: string,
  body: PlanWorkflow,
): Promise<Omit<WorkflowPlan, "$schema">> {
  return inTransaction(ctx, async (tx) => {
    const version = await requestedVersion(tx, ref, body.version_id);
    const stored = version.steps as StepDefinition[];
    const requested = overrideSteps(stored, body);
    const { steps, issues } = await judge(tx, stored, requested);
    const isOverridden = !isDeepStrictEqual(steps, stored);
    const violations = policyViolations(await findPolicy(tx, tx.project_id), steps);
    const plan = presentPlan({
      steps,
      max_parallel_steps: version.max_parallel_steps,
      issues: [...requested.issues, ...requested.locate(issues)],
      violations: requested.locate(violations),
      estimates: onlyUnchanged(await readEstimates(tx, version.id, { steps: stored }), stored, steps),
    });
    return { ...namesOf(version), is_overridden: isOverridden, ...(await inSlices(plan)) };
  });
}

/** Stored steps were validated when they were saved. */
async function judge(
  tx: ProjectCtx & InTransaction,
  stored: StepDefinition[],
  { steps: requested, reordered }: Pick<ReturnType<typeof overrideSteps>, "steps" | "reordered">,
): Promise<{ steps: StepDefinition[]; issues: ProblemError[] }> {
  if (isDeepStrictEqual(requested, stored)) return { steps: stored, issues: [] };
  const jobs = await holdJobs(tx, requested, null);
  const workflows = await holdWorkflows(tx, requested);
  const surroundings = { jobs, workflows, private_endpoints: tx.config.private_endpoints };
  const issues = await inSlices(stepIssues(requested, surroundings, { changed: reordered }));
  return { steps: normalSteps(requested, { jobs, workflows }), issues };
}

/** Past durations are valid only for a step that still does the same. */
function onlyUnchanged(
  estimates: ReadonlyMap<string, number>,
  stored: readonly StepDefinition[],
  steps: readonly StepDefinition[],
): ReadonlyMap<string, number> {
  const before = new Map(stored.map((step) => [step.step_ref, workOf(step)]));
  const unchanged = new Set(
    steps.filter((step) => isDeepStrictEqual(before.get(step.step_ref), workOf(step))).map(({ step_ref }) => step_ref),
  );
  return new Map([...estimates].filter(([ref]) => unchanged.has(ref)));
}

/** What the step does, without its dependencies, condition, failure policy and compensation. */
function workOf({ depends_on: _, on_failure: _f, condition: _c, ...work }: StepDefinition): object {
  return { ...work, compensate_job_id: null };
}

function namesOf({ workflow_id, id, version }: VersionRow) {
  return { workflow_id, version_id: id, version };
}

import { isDeepStrictEqual } from "node:util";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { PlanWorkflow, WorkflowPlan } from "@millrace/contract/workflows/workflow-versions";
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
import { requestedVersion, type VersionRow } from "../versions/version-queries.ts";
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
    const { steps, issues } = await checkSteps(tx, stored, requested);
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

/** The requested steps as they would be stored, with their issues. Stored ones were validated when they were saved. */
export async function checkSteps(
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

type Overridden = {
  steps: readonly StepInput[];
  /** Positions of the steps with changed dependencies. */
  reordered: ReadonlySet<number>;
  /** Overrides of unknown steps. */
  issues: ProblemError[];
  /** Locates the issues of the steps in the request; those of the stored version are marked as such. */
  locate: (issues: readonly ProblemError[]) => ProblemError[];
};

/**
 * Merges each override into the step of its name. If it changes the type, only the fields common to all types are kept.
 */
export function overrideSteps(stored: readonly StepInput[], requested: PlanWorkflow): Overridden {
  const { steps: given, step_overrides: overrides = [] } = requested;
  const before = given ?? stored;
  const indexOf = new Map(overrides.map(({ step_ref }, index) => [step_ref, index]));
  const overrideOf = ({ step_ref }: StepInput) => overrides[indexOf.get(step_ref) ?? -1];
  return {
    steps: before.map((step) => overrideStep(step, overrideOf(step))),
    reordered: new Set([...before.keys()].filter((index) => overrideOf(before[index] as StepInput)?.depends_on)),
    issues: unknownIssues(before, overrides),
    locate: (issues) => issues.map((issue) => ({ ...issue, location: locationOf(issue.location) })),
  };

  function locationOf(location: string): string {
    const own = given ? location : location.replace(/^body\b/, "version");
    const [, index, field, rest] = /^body\.steps\[(\d+)\](?:\.(\w+))?(.*)$/.exec(location) ?? [];
    const step = before[Number(index)];
    const override = step && overrideOf(step);
    if (!override || field === undefined) return own;
    const isInStep = !(field in override) && given && field in step;
    return isInStep ? own : `body.step_overrides[${indexOf.get(step.step_ref)}].${field}${rest}`;
  }
}

function unknownIssues(steps: readonly StepInput[], overrides: readonly StepInput[]): ProblemError[] {
  const refs = new Set(steps.map(({ step_ref }) => step_ref));
  return overrides.flatMap(({ step_ref }, index) => {
    if (refs.has(step_ref)) return [];
    const location = `body.step_overrides[${index}].step_ref`;
    return [{ location, message: "is not a step of this workflow", value: step_ref.slice(0, 200) }];
  });
}

function overrideStep(step: StepInput, override: StepInput | undefined): StepInput {
  if (!override) return step;
  const { type = "job" } = step;
  if (override.type === undefined || override.type === type) return { ...step, ...override };
  const { depends_on = [], on_failure = "fail_workflow", condition = null } = step;
  return { depends_on, on_failure, condition, ...override };
}

import { isDeepStrictEqual } from "node:util";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import type { PlanWorkflow } from "@millrace/contract/workflows/workflow-versions";
import { type CreateWorkflow, type UpdateWorkflow, WORKFLOW_DEFAULTS } from "@millrace/contract/workflows/workflows";
import { findPolicy, policyViolations } from "../../../flow/workflows/start/workflow-policy.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import type { SemanticValidation } from "../../../platform/route.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { holdWorkflows } from "../hold-workflows.ts";
import { findWorkflow } from "../queries.ts";
import type { WorkflowSetting, WorkflowSettings } from "../workflow-settings.ts";
import type { Surroundings } from "./field-issues.ts";
import { holdJobs, readReferences, takenSlugIssues } from "./references.ts";
import { stepLocation } from "./step-graph.ts";
import { stepIssues } from "./step-issues.ts";
import { workflowIssues } from "./workflow-issues.ts";

type Named = Pick<Surroundings, "jobs" | "workflows">;

/** Without these fields it is unknown which rules apply to a step. */
const DEFINING = ["type", "job_id", "workflow_id"];

/** Without a project, every reference may be valid. */
const ANYTHING: Named = { jobs: { has: () => true }, workflows: { has: () => true } };

/** Semantic validation of a new workflow, beyond its schema. It may reference itself by its slug. */
export function newWorkflowSemanticValidation(
  left: Partial<CreateWorkflow>,
  context: SemanticValidation,
): Promise<ProblemError[]> {
  return workflowSemanticValidation(left, context, { id: newId(), slug: left.slug });
}

/** The same for an update: unchanged fields are not validated. */
export async function changeSemanticValidation(
  left: Partial<UpdateWorkflow>,
  context: SemanticValidation,
): Promise<ProblemError[]> {
  const { project, params } = context;
  const before = project && (await findWorkflow(project, params.workflowID ?? ""));
  const changes = Object.entries(left).filter(
    ([name, value]) => !before || !isDeepStrictEqual(value, before[name as WorkflowSetting]),
  );
  return workflowSemanticValidation(Object.fromEntries(changes), context);
}

async function workflowSemanticValidation(
  left: Partial<CreateWorkflow>,
  context: SemanticValidation,
  own?: { id: string; slug: string | undefined },
): Promise<ProblemError[]> {
  const changed = new Set(Object.keys(left) as WorkflowSetting[]);
  const settings = { ...WORKFLOW_DEFAULTS, cancel_on: [], ...left } as unknown as WorkflowSettings;
  const ownIssues = async (named: Named) => [
    ...(await checkSteps(left.steps ?? [], context, named)),
    ...workflowIssues(settings, changed),
  ];
  if (!context.project) return ownIssues(ANYTHING);
  return inTransaction(context.project, async (tx) => {
    const jobs = await holdJobs(tx, left.steps ?? [], left.on_failure_job_id ?? null);
    const workflows = await holdWorkflows(tx, left.steps ?? [], own);
    return [
      ...(await ownIssues({ jobs, workflows })),
      ...(await readReferences(tx, left, jobs)).issues,
      ...(await takenSlugIssues(tx, left.slug)),
      ...policyViolations(await findPolicy(tx, tx.project_id), left.steps ?? []),
    ];
  });
}

/** Overrides are merged into stored steps, which would have to be read first. */
export async function planSemanticValidation(
  { steps, step_overrides }: Partial<PlanWorkflow>,
  context: SemanticValidation,
): Promise<ProblemError[]> {
  const hasOverrides = step_overrides !== undefined || context.refused.has("body.step_overrides");
  return hasOverrides ? [] : stepsSemanticValidation({ steps }, context);
}

export async function stepsSemanticValidation(
  { steps = [] }: { steps?: readonly StepInput[] | undefined },
  context: SemanticValidation,
): Promise<ProblemError[]> {
  if (!context.project) return checkSteps(steps, context, ANYTHING);
  return inTransaction(context.project, async (tx) => {
    const jobs = await holdJobs(tx, steps, null);
    return checkSteps(steps, context, { jobs, workflows: await holdWorkflows(tx, steps) });
  });
}

function checkSteps(
  steps: readonly StepInput[],
  { refused, config }: SemanticValidation,
  named: Named,
): Promise<ProblemError[]> {
  const isRefused = (index: number, name: string) => refused.has(`${stepLocation(index)}.${name}`);
  const indexes = [...steps.keys()];
  return inSlices(
    stepIssues(
      steps,
      { ...named, private_endpoints: config.private_endpoints },
      {
        unread: new Set(indexes.filter((index) => DEFINING.some((name) => isRefused(index, name)))),
        isOrderKnown: !indexes.some((index) => isRefused(index, "depends_on")),
      },
    ),
  );
}

import { isDeepStrictEqual } from "node:util";
import type { ProblemError } from "@millrace/contract/problem";
import type { StepInput } from "@millrace/contract/workflow-steps";
import type { PlanWorkflow } from "@millrace/contract/workflow-versions";
import { type CreateWorkflow, type UpdateWorkflow, WORKFLOW_DEFAULTS } from "@millrace/contract/workflows";
import { findPolicy } from "../../flow/workflows/find-policy.ts";
import { policyViolations } from "../../flow/workflows/policy-violations.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import type { BesideSchema } from "../../platform/route.ts";
import { inSlices } from "../../platform/time-slices.ts";
import type { Surroundings } from "./field-faults.ts";
import { holdWorkflows } from "./hold-workflows.ts";
import { findWorkflow } from "./queries.ts";
import { holdJobs, readReferences, takenSlugFaults } from "./references.ts";
import { stepFaults } from "./step-faults.ts";
import { stepLocation } from "./step-graph.ts";
import { workflowFaults } from "./workflow-faults.ts";
import type { WorkflowSetting, WorkflowSettings } from "./workflow-settings.ts";

type Named = Pick<Surroundings, "jobs" | "workflows">;

/** Without them nobody knows which rules a step has. */
const TELLING = ["type", "job_id", "workflow_id"];

/** Where nobody can be asked, every name may be right. */
const ANYTHING: Named = { jobs: { has: () => true }, workflows: { has: () => true } };

/** What is wrong with a new workflow beside what its schema says. It may name itself by its slug. */
export function newWorkflowBesideSchema(left: Partial<CreateWorkflow>, beside: BesideSchema): Promise<ProblemError[]> {
  return workflowBesideSchema(left, beside, { id: newId(), slug: left.slug });
}

/** The same for a change: what stays as it is is not judged. */
export async function changeBesideSchema(left: Partial<UpdateWorkflow>, beside: BesideSchema): Promise<ProblemError[]> {
  const { project, params } = beside;
  const before = project && (await findWorkflow(project, params.workflowID ?? ""));
  const changes = Object.entries(left).filter(
    ([name, value]) => !before || !isDeepStrictEqual(value, before[name as WorkflowSetting]),
  );
  return workflowBesideSchema(Object.fromEntries(changes), beside);
}

async function workflowBesideSchema(
  left: Partial<CreateWorkflow>,
  beside: BesideSchema,
  own?: { id: string; slug: string | undefined },
): Promise<ProblemError[]> {
  const changed = new Set(Object.keys(left) as WorkflowSetting[]);
  const settings = { ...WORKFLOW_DEFAULTS, cancel_on: [], ...left } as unknown as WorkflowSettings;
  const ownFaults = async (named: Named) => [
    ...(await judgeSteps(left.steps ?? [], beside, named)),
    ...workflowFaults(settings, changed),
  ];
  if (!beside.project) return ownFaults(ANYTHING);
  return inTransaction(beside.project, async (tx) => {
    const jobs = await holdJobs(tx, left.steps ?? [], left.on_failure_job_id ?? null);
    const workflows = await holdWorkflows(tx, left.steps ?? [], own);
    return [
      ...(await ownFaults({ jobs, workflows })),
      ...(await readReferences(tx, left, jobs)).faults,
      ...(await takenSlugFaults(tx, left.slug)),
      ...policyViolations(await findPolicy(tx, tx.project_id), left.steps ?? []),
    ];
  });
}

/** Overrides are laid over steps that would have to be read first. */
export async function planBesideSchema(
  { steps, step_overrides }: Partial<PlanWorkflow>,
  beside: BesideSchema,
): Promise<ProblemError[]> {
  const hasOverrides = step_overrides !== undefined || beside.refused.has("body.step_overrides");
  return hasOverrides ? [] : stepsBesideSchema({ steps }, beside);
}

export async function stepsBesideSchema(
  { steps = [] }: { steps?: readonly StepInput[] | undefined },
  beside: BesideSchema,
): Promise<ProblemError[]> {
  if (!beside.project) return judgeSteps(steps, beside, ANYTHING);
  return inTransaction(beside.project, async (tx) => {
    const jobs = await holdJobs(tx, steps, null);
    return judgeSteps(steps, beside, { jobs, workflows: await holdWorkflows(tx, steps) });
  });
}

function judgeSteps(
  steps: readonly StepInput[],
  { refused, config }: BesideSchema,
  named: Named,
): Promise<ProblemError[]> {
  const isRefused = (place: number, name: string) => refused.has(`${stepLocation(place)}.${name}`);
  const places = [...steps.keys()];
  return inSlices(
    stepFaults(
      steps,
      { ...named, private_endpoints: config.private_endpoints },
      {
        unread: new Set(places.filter((place) => TELLING.some((name) => isRefused(place, name)))),
        isOrderKnown: !places.some((place) => isRefused(place, "depends_on")),
      },
    ),
  );
}

import type { ProblemError } from "@millrace/contract/problem";
import type { PlanWorkflow } from "@millrace/contract/workflow-versions";
import { type CreateWorkflow, WORKFLOW_DEFAULTS } from "@millrace/contract/workflows";
import type { BesideSchema } from "../../platform/route.ts";
import { stepFaults } from "./step-faults.ts";
import { stepLocation } from "./step-graph.ts";
import { type Judged, workflowFaults } from "./workflow-faults.ts";
import type { WorkflowSetting } from "./workflow-settings.ts";

/** Without them nobody knows which rules a step has. */
const TELLING = ["type", "job_id", "workflow_id"];

const ANYTHING = { has: () => true };

/** What is wrong with a workflow beside what its schema says. */
export function workflowBesideSchema(left: Partial<CreateWorkflow>, beside: BesideSchema): ProblemError[] {
  const settings: Judged = { ...WORKFLOW_DEFAULTS, cancel_on: [], ...left };
  return [
    ...stepsBesideSchema(left.steps, beside),
    ...workflowFaults(settings, new Set(Object.keys(left) as WorkflowSetting[])),
  ];
}

/** Overrides are laid over steps that would have to be read first. */
export function planBesideSchema(
  { steps, step_overrides }: Partial<PlanWorkflow>,
  beside: BesideSchema,
): ProblemError[] {
  const hasOverrides = step_overrides !== undefined || beside.refused.has("body.step_overrides");
  return hasOverrides ? [] : stepsBesideSchema(steps, beside);
}

/** Nothing where it cannot be told what comes before what. */
export function stepsBesideSchema(
  steps: CreateWorkflow["steps"] | undefined,
  { refused, config }: BesideSchema,
): ProblemError[] {
  if (!steps || steps.some((_, place) => refused.has(`${stepLocation(place)}.depends_on`))) return [];
  const isUnread = (place: number) => TELLING.some((name) => refused.has(`${stepLocation(place)}.${name}`));
  const unread = new Set([...steps.keys()].filter(isUnread));
  const surroundings = { jobs: ANYTHING, workflows: ANYTHING, private_endpoints: config.private_endpoints };
  return stepFaults(steps, surroundings, unread);
}

import { readBudget, roomIn } from "../../../flow/budget/lock-budgets.ts";
import { budgetIsSpent } from "../../../flow/budget/reserve-budget.ts";
import { coalesce } from "../../../flow/coalesce.ts";
import { readTags } from "../../../flow/runs/create/merge-tags.ts";
import type { NewWorkflowRun } from "../../../flow/workflows/start/new-workflow-run.ts";
import { prepareWorkflowRun, type WorkflowTrigger } from "../../../flow/workflows/start/prepare-workflow-run.ts";
import { type TriggeredWorkflow, triggerWorkflowRuns } from "../../../flow/workflows/start/start-workflow-runs.ts";
import {
  findCachedWorkflow,
  findTriggerableWorkflow,
  type TriggerableWorkflow,
} from "../../../flow/workflows/start/triggerable-workflow.ts";
import { refuseElsewhere } from "../../../platform/access/policies/refuse-retagging.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { perService } from "../../../platform/service-state.ts";
import type { TriggerPath } from "../../../platform/triggers/submit-trigger.ts";
import { refuseOverridingTrigger } from "../validate/refuse-overriding-steps.ts";

const MAX_AT_ONCE = 200; // each includes its steps
const FLUSH_INTERVAL_MS = 6;

/** Concurrent triggers share commits; each returns after its own. */
const gatheringOf = perService((ctx: Ctx) =>
  coalesce<NewWorkflowRun, TriggeredWorkflow>({
    flush: (runs) => triggerWorkflowRuns(ctx, runs),
    max: MAX_AT_ONCE,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    isItemsIssue: isDataError,
  }),
);

/** How a run of a workflow is started. */
export const WORKFLOW_PATH: TriggerPath<TriggerableWorkflow, WorkflowTrigger, NewWorkflowRun, TriggeredWorkflow> = {
  type: "workflow",
  findCached: findCachedWorkflow,
  findCurrent: findTriggerableWorkflow,
  prepare: prepareFor,
  create: (ctx, run) => gatheringOf(ctx).add(run),
  refuse: refuseWhenSpent,
};

/** A spent budget is the other reason why a run was not created. */
export async function refuseWhenSpent(ctx: ProjectCtx): Promise<void> {
  const budget = await readBudget(ctx, ctx.project_id);
  if ((roomIn(budget) ?? 1) <= 0) throw budgetIsSpent(budget);
}

async function prepareFor(
  ctx: ProjectCtx,
  workflow: TriggerableWorkflow,
  trigger: WorkflowTrigger,
): Promise<NewWorkflowRun> {
  const run = await prepareWorkflowRun(ctx, workflow, trigger);
  if (trigger.tags) await refuseOverridingTrigger(ctx, run, readTags(trigger.tags));
  await refuseElsewhere(ctx, ["workflows:read", "runs:read"], workflow.environment_id, run.environment_id);
  return run;
}

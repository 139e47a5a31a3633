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
import { boundEnvironment } from "../../../platform/access/bound-environment.ts";
import { refuseElsewhere } from "../../../platform/access/policies/refuse-retagging.ts";
import { mayUse } from "../../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { perService } from "../../../platform/service-state.ts";
import { refuseOverridingTrigger } from "../validate/refuse-overriding-steps.ts";

type Submitted = Extract<TriggeredWorkflow, { kind: "created" | "existing" }>;

const MAX_AT_ONCE = 200; // each includes its steps
const FLUSH_INTERVAL_MS = 6;
const MAX_CHANGES = 20; // of the workflow between reading it and writing the run

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

/**
 * Prepares the run from this instance's cached workflow. If the workflow has changed or rejects the run, it is read
 * again and the run is prepared again, so that nothing is decided on a stale workflow.
 */
export async function submitTrigger(ctx: ProjectCtx, ref: string, trigger: WorkflowTrigger): Promise<Submitted> {
  const known = await findCachedWorkflow(ctx, ctx.project_id, ref);
  const isKnown = known && mayStart(ctx, known, trigger.environment_id ?? null);
  let run = isKnown ? await prepareOrElse(ctx, known, trigger) : undefined;
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    run ??= await prepareFor(ctx, await findWorkflowFor(ctx, ref, trigger.environment_id ?? null), trigger);
    const result = await gatheringOf(ctx).add(run);
    if (result.kind === "conflict") throw idempotencyConflict();
    if (result.kind !== "stale") return result;
    await refuseWhenSpent(ctx);
    run = undefined;
  }
  throw new ApiError("conflict", "The workflow keeps changing. Try again.");
}

/** A spent budget is the other reason why a run was not created. */
export async function refuseWhenSpent(ctx: ProjectCtx): Promise<void> {
  const budget = await readBudget(ctx, ctx.project_id);
  if ((roomIn(budget) ?? 1) <= 0) throw budgetIsSpent(budget);
}

/** The current workflow, if the caller may see it. */
export async function findWorkflowFor(
  ctx: ProjectCtx,
  ref: string,
  environment_id: string | null = null,
): Promise<TriggerableWorkflow> {
  const workflow = await findTriggerableWorkflow(ctx, ctx.project_id, ref);
  if (!workflow || !mayStart(ctx, workflow, environment_id)) throw notFound("workflow");
  return workflow;
}

/** Checks both the workflow's own environment and the one its run will have. */
function mayStart(ctx: ProjectCtx, workflow: TriggerableWorkflow, requested: string | null): boolean {
  const target = { type: "workflow", ...workflow };
  const named = requested ?? boundEnvironment(ctx.caller);
  const environment_id = named ?? workflow.environment_id ?? workflow.production_id;
  return mayUse(ctx, target) && (!ctx.access || mayUse(ctx, { ...target, environment_id }));
}

/** Prepares the run, and rejects tags or an environment that would bypass a policy forbidding the caller to read it. */
export async function prepareFor(
  ctx: ProjectCtx,
  workflow: TriggerableWorkflow,
  trigger: WorkflowTrigger,
): Promise<NewWorkflowRun> {
  const run = await prepareWorkflowRun(ctx, workflow, trigger);
  if (trigger.tags) await refuseOverridingTrigger(ctx, run, readTags(trigger.tags));
  await refuseElsewhere(ctx, ["workflows:read", "runs:read"], workflow.environment_id, run.environment_id);
  return run;
}

/** A cached workflow may be stale, so an error from it is ignored and the workflow is read again. */
function prepareOrElse(
  ctx: ProjectCtx,
  workflow: TriggerableWorkflow,
  trigger: WorkflowTrigger,
): Promise<NewWorkflowRun | undefined> {
  return prepareFor(ctx, workflow, trigger).catch(() => undefined);
}

export function idempotencyConflict(): ApiError {
  return new ApiError("idempotency_conflict", "This idempotency key was used for a different trigger.");
}

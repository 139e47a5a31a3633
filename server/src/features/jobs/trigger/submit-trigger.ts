import { overBudget } from "../../../flow/budget/reserve-budget.ts";
import { coalesce } from "../../../flow/coalesce.ts";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import { prepareRunInSlices, type Trigger } from "../../../flow/runs/create/prepare-run.ts";
import { triggerRuns } from "../../../flow/runs/create/trigger-runs.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../../../flow/runs/create/triggerable-job.ts";
import { boundEnvironment } from "../../../platform/access/bound-environment.ts";
import { refuseElsewhere, refuseOverriding } from "../../../platform/access/policies/refuse-retagging.ts";
import { mayUse } from "../../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { perService } from "../../../platform/service-state.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";

type Submitted = Extract<TriggerResult, { kind: "created" | "existing" }>;

const MAX_AT_ONCE = 500;
const FLUSH_INTERVAL_MS = 6;
const MAX_CHANGES = 20; // of the job between reading it and writing the run

/** Concurrent triggers share commits: 3 times the rate of one insert each. Each responds after its own commit. */
const gatheringOf = perService((ctx: Ctx) =>
  coalesce<NewRun, TriggerResult>({
    flush: (runs) => triggerRuns(ctx, runs),
    max: MAX_AT_ONCE,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    isItemsIssue: isDataError,
  }),
);

/**
 * Prepares the run from the cached job. If the job has changed or rejects the run, the job is read again and the run is
 * prepared again, so nothing is decided on a stale job.
 */
export async function submitTrigger(ctx: ProjectCtx, ref: string, trigger: Trigger): Promise<Submitted> {
  const cached = findCachedJob(ctx, ctx.project_id, ref);
  const known = cached instanceof Promise ? await cached : cached;
  await yieldToEventLoop();
  const isKnown = known && mayStart(ctx, known, trigger.environment_id ?? null);
  let run = isKnown ? await prepareOrElse(ctx, known, trigger) : undefined;
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    if (!run) {
      const job = await findJobFor(ctx, ref, trigger.environment_id ?? null);
      await yieldToEventLoop();
      run = await prepareFor(ctx, job, trigger);
    }
    await yieldToEventLoop();
    const result = await gatheringOf(ctx).add(run);
    if (result.kind === "conflict") throw idempotencyConflict();
    if (result.kind === "over_budget") throw overBudget(result);
    if (result.kind !== "stale") return result;
    run = undefined;
  }
  throw new ApiError("conflict", "The job keeps changing. Try again.");
}

/** The current job, if the caller may see it. */
export async function findJobFor(
  ctx: ProjectCtx,
  ref: string,
  environment_id: string | null = null,
): Promise<TriggerableJob> {
  const job = await findTriggerableJob(ctx, ctx.project_id, ref);
  if (!job || !mayStart(ctx, job, environment_id)) throw notFound("job");
  return job;
}

/** Checks the job both in its own environment and in that of the run. */
export function mayStart(ctx: ProjectCtx, job: TriggerableJob, requested: string | null): boolean {
  const { id, tags, environment_id } = job;
  const there = requested ?? boundEnvironment(ctx.caller) ?? environment_id ?? job.production_id;
  return (
    mayUse(ctx, { type: "job", id, tags, environment_id }) &&
    (!ctx.access || mayUse(ctx, { type: "job", id, tags, environment_id: there }))
  );
}

/** Prepares the run; refused if its tags or environment would evade a policy that denies the caller read access. */
export async function prepareFor(ctx: ProjectCtx, job: TriggerableJob, trigger: Trigger): Promise<NewRun> {
  const prepared = prepareRunInSlices(job, trigger);
  const run = prepared instanceof Promise ? await prepared : prepared;
  if (trigger.tags) await refuseOverriding(ctx, "runs:read", job, run);
  await refuseElsewhere(ctx, ["runs:read", "jobs:read"], job.environment_id, run.environment_id);
  return run;
}

/** Undefined: the cached job rejected the run, but the cache may be out of date. */
async function prepareOrElse(ctx: ProjectCtx, job: TriggerableJob, trigger: Trigger): Promise<NewRun | undefined> {
  try {
    return await prepareFor(ctx, job, trigger);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

export function idempotencyConflict(): ApiError {
  return new ApiError("idempotency_conflict", "This idempotency key was used for a different trigger.");
}

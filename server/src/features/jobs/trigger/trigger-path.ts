import { overBudget } from "../../../flow/budget/reserve-budget.ts";
import { coalesce } from "../../../flow/coalesce.ts";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import { prepareRunInSlices, type Trigger } from "../../../flow/runs/create/prepare-run.ts";
import { triggerRuns } from "../../../flow/runs/create/trigger-runs.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../../../flow/runs/create/triggerable-job.ts";
import { refuseElsewhere, refuseOverriding } from "../../../platform/access/policies/refuse-retagging.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { isDataError } from "../../../platform/database/database-errors.ts";
import { perService } from "../../../platform/service-state.ts";
import type { TriggerPath } from "../../../platform/triggers/submit-trigger.ts";

const MAX_AT_ONCE = 500;
const FLUSH_INTERVAL_MS = 6;

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

/** How a run of a job is started. */
export const JOB_PATH: TriggerPath<TriggerableJob, Trigger, NewRun, TriggerResult> = {
  type: "job",
  findCached: findCachedJob,
  findCurrent: findTriggerableJob,
  prepare: prepareFor,
  create: (ctx, run) => gatheringOf(ctx).add(run),
  refuse: (_, result) => {
    if (result.kind === "over_budget") throw overBudget(result);
  },
};

async function prepareFor(ctx: ProjectCtx, job: TriggerableJob, trigger: Trigger): Promise<NewRun> {
  const prepared = prepareRunInSlices(job, trigger);
  const run = prepared instanceof Promise ? await prepared : prepared;
  if (trigger.tags) await refuseOverriding(ctx, "runs:read", job, run);
  await refuseElsewhere(ctx, ["runs:read", "jobs:read"], job.environment_id, run.environment_id);
  return run;
}

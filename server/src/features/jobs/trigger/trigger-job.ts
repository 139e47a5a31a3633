import type { TriggerItem, TriggerJob } from "@millrace/contract/events/triggers";
import type { Run } from "@millrace/contract/runs/runs";
import { overBudget } from "../../../flow/budget/reserve-budget.ts";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import { prepareRunInSlices, type Trigger } from "../../../flow/runs/create/prepare-run.ts";
import { previewTrigger, triggerRuns } from "../../../flow/runs/create/trigger-runs.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../../../flow/runs/create/triggerable-job.ts";
import { previewFailed } from "../../../flow/runs/dependencies/link-dependencies.ts";
import { settleNewDependent } from "../../../flow/runs/dependencies/settle-dependents.ts";
import { presentNewRun, readRun } from "../../../flow/runs/run-columns.ts";
import { waitForEnd } from "../../../flow/runs/settle/wait-for-end.ts";
import { openTriggerQueue } from "../../../flow/trigger-queue.ts";
import { isRunWithin, tokenLimitsOf } from "../../../platform/access/credentials/token-limits.ts";
import { refuseOtherEnvironment, refuseOverriding } from "../../../platform/access/policies/refuse-retagging.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { perService } from "../../../platform/service-state.ts";
import { withHeaderKey } from "../../../platform/triggers/idempotency-key.ts";
import {
  answerTrigger,
  findStartable,
  idempotencyConflict,
  submitTrigger,
  type TriggerOutcome,
  type TriggerTarget,
} from "../../../platform/triggers/submit-trigger.ts";
import { readTrigger } from "./read-trigger.ts";

type Requested = TriggerJob & { wait_secs?: number; header_key?: string };

/**
 * Creates a run, or returns the existing one. With `wait_secs` the response waits for its end; a dry run previews the
 * result.
 */
export async function triggerJob(ctx: ProjectCtx, ref: string, requested: Requested, reply: RouteReply): Promise<Run> {
  const { wait_secs, dry_run } = requested;
  const trigger = await readTrigger(ctx, itemOf(withTokenTags(ctx, requested)), "body", dry_run);
  const outcome = dry_run ? await previewOutcome(ctx, ref, trigger) : await submit(ctx, ref, trigger);
  if (outcome.kind === "existing") await refuseBeyondToken(ctx, outcome.id);
  const { project_id } = ctx;
  return answerTrigger(
    outcome,
    {
      name: "run",
      read: (id) => readRun(ctx, project_id, id),
      waitForEnd: (id, secs) => waitForEnd(ctx, project_id, id, secs),
    },
    wait_secs,
    reply,
  );
}

async function submit(ctx: ProjectCtx, ref: string, trigger: Trigger): Promise<TriggerOutcome<Run>> {
  const result = await submitTrigger(ctx, JOB_TARGET, ref, trigger);
  if (result.kind === "existing") return { kind: "existing", id: result.run_id };
  return { kind: "created", id: result.run.id, present: () => presentCreated(ctx, result) };
}

/** The result or error that `submit` would have now. Read-only. */
async function previewOutcome(ctx: ProjectCtx, ref: string, trigger: Trigger): Promise<TriggerOutcome<Run>> {
  const job = await findStartable(ctx, JOB_TARGET, ref, trigger.environment_id);
  const run = await JOB_TARGET.prepare(ctx, job, trigger);
  const preview = await previewTrigger(ctx, run);
  if (!preview) {
    const error = (await previewFailed(ctx, run)) ?? null;
    return { kind: "preview", present: () => presentPreview(ctx, { run, error }) };
  }
  if (preview.kind === "conflict") throw idempotencyConflict();
  if (preview.kind === "over_budget") throw overBudget(preview);
  return { kind: "existing", id: preview.run_id };
}

/** The fields that describe the run. An idempotency key compares them, without those that concern only the call. */
function itemOf(requested: Requested): TriggerItem {
  if (requested.idempotency_key === undefined && requested.header_key === undefined) return requested;
  const { wait_secs: _wait, header_key, dry_run: _dry, project_id: _project, ...item } = requested;
  return withHeaderKey(item, header_key);
}

/** A run that depends on a failed run is canceled before the response. */
async function presentCreated(
  ctx: ProjectCtx,
  { run, created }: Extract<TriggerResult, { kind: "created" }>,
): Promise<Run> {
  if (!run.waits_on) return presentNewRun(run, created);
  await settleNewDependent(ctx, { project_id: ctx.project_id, run_id: run.id });
  const applied = await readRun(ctx, ctx.project_id, run.id);
  if (!applied) throw notFound("run");
  return applied;
}

/** The run as if it were created now: one that depends on a failed run would be canceled. */
function presentPreview(ctx: ProjectCtx, { run, error }: { run: NewRun; error: Run["error"] }): Run {
  const isoIn = (secs: number) => new Date(ctx.watch.nowMs() + secs * 1_000).toISOString();
  const scheduled_at = run.scheduled_at ?? isoIn(run.delay_secs ?? 0);
  const preview = presentNewRun(run, { created_at: isoIn(0), scheduled_at, deadline: null });
  return error ? { ...preview, status: "canceled", error, finished_at: preview.created_at } : preview;
}

type Tagged = { tags?: Record<string, string> | string[] };

/** Runs started with a scoped token carry the tags of the token, so that the token can see them. */
function withTokenTags<T extends Tagged>({ caller }: ProjectCtx, requested: T): T {
  const own = tokenLimitsOf(caller)?.tags;
  if (!own) return requested;
  const given = Array.isArray(requested.tags)
    ? Object.fromEntries(requested.tags.map((name) => [name, "true"]))
    : (requested.tags ?? {});
  return { ...requested, tags: { ...given, ...own } };
}

/** A trigger may return an existing run, but not to a token that may not read it. */
async function refuseBeyondToken(ctx: ProjectCtx, run_id: string): Promise<void> {
  const limits = tokenLimitsOf(ctx.caller);
  if (!limits) return;
  const run = await readRun(ctx, ctx.project_id, run_id);
  if (!run || !isRunWithin(limits, run)) throw notFound("run");
}

const MAX_BATCH = 500;

/** Concurrent triggers share commits: 3 times the rate of one insert each. Each responds after its own commit. */
const queueOf = perService((ctx: Ctx) =>
  openTriggerQueue<NewRun, TriggerResult>({
    create: (runs) => triggerRuns(ctx, runs),
    max_batch: MAX_BATCH,
    max_waiting: ctx.config.max_waiting_triggers,
  }),
);

/** So many triggers wait for the commit of those before them that another would wait for long. */
export function isTriggerQueueFull(ctx: Ctx, project_id?: string): boolean {
  return queueOf(ctx).isFullFor(project_id);
}

/** A job as the target of a trigger. */
export const JOB_TARGET: TriggerTarget<TriggerableJob, Trigger, NewRun, TriggerResult> = {
  type: "job",
  findCached: findCachedJob,
  findCurrent: findTriggerableJob,
  prepare: prepareFor,
  create: (ctx, run) => queueOf(ctx).add(run),
  refuse: (_, result) => {
    if (result.kind === "over_budget") throw overBudget(result);
  },
};

function prepareFor(ctx: ProjectCtx, job: TriggerableJob, trigger: Trigger): NewRun | Promise<NewRun> {
  const prepared = prepareRunInSlices(job, trigger);
  const isInJobsEnvironment =
    job.environment_id === null || (trigger.environment_id ?? job.environment_id) === job.environment_id;
  return isInJobsEnvironment && !trigger.tags ? prepared : refuseEvading(ctx, job, trigger, prepared);
}

/** Own tags, or another environment than the job's, must not hide the run from a policy that denies it to the caller. */
async function refuseEvading(
  ctx: ProjectCtx,
  job: TriggerableJob,
  trigger: Trigger,
  prepared: NewRun | Promise<NewRun>,
): Promise<NewRun> {
  const run = await prepared;
  if (trigger.tags) await refuseOverriding(ctx, "runs:read", job, run);
  await refuseOtherEnvironment(ctx, ["runs:read", "jobs:read"], job.environment_id, run.environment_id);
  return run;
}

import type { Run } from "@millrace/contract/runs";
import type { TriggerItem, TriggerJob } from "@millrace/contract/triggers";
import type { NewRun, TriggerResult } from "../../../flow/runs/create/new-run.ts";
import { settleOwn } from "../../../flow/runs/dependencies/settle-dependents.ts";
import { presentNewRun, readRun } from "../../../flow/runs/run-columns.ts";
import { waitForEnd } from "../../../flow/runs/settle/wait-for-end.ts";
import { isRunWithin, limitsOf } from "../../../platform/access/credentials/token-limits.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { withHeaderKey } from "../../../platform/idempotency-key.ts";
import type { RouteReply } from "../../../platform/route.ts";
import { checkTrigger } from "./check-trigger.ts";
import { readTrigger } from "./read-trigger.ts";
import { submitTrigger } from "./submit-trigger.ts";

type Requested = TriggerJob & { wait_secs?: number; header_key?: string };

/**
 * Creates a run, or returns the existing one. With `wait_secs` the response waits for its end; a dry run previews the
 * result.
 */
export async function triggerJob(ctx: ProjectCtx, ref: string, requested: Requested, reply: RouteReply): Promise<Run> {
  const { wait_secs, dry_run } = requested;
  const trigger = await readTrigger(ctx, itemOf(limitTrigger(ctx, requested)), "body", dry_run);
  const result = dry_run ? await checkTrigger(ctx, ref, trigger) : await submitTrigger(ctx, ref, trigger);
  if (result.kind === "created") {
    if (wait_secs === undefined) return presentCreated(ctx, result);
    return respondWhenEnded(ctx, result.run.id, wait_secs, reply);
  }
  reply.status(200);
  if (result.kind === "preview") return presentPreview(ctx, result);
  await refuseBeyondToken(ctx, result.run_id);
  reply.header("Idempotent-Replayed", "true");
  if (wait_secs !== undefined) return respondWhenEnded(ctx, result.run_id, wait_secs, reply);
  const run = await readRun(ctx, ctx.project_id, result.run_id);
  if (!run) throw notFound("run");
  return run;
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
  await settleOwn(ctx, { project_id: ctx.project_id, run_id: run.id });
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

async function respondWhenEnded(ctx: ProjectCtx, run_id: string, secs: number, reply: RouteReply): Promise<Run> {
  const { run, hasEnded } = await waitForEnd(ctx, ctx.project_id, run_id, secs);
  if (!run) throw new ApiError("not_found", "The run was deleted while the request waited for it.");
  reply.status(hasEnded ? 200 : 202);
  return run;
}

type Tagged = { tags?: Record<string, string> | string[] };

/** Runs started with a scoped token carry the tags of the token, so that the token can see them. */
function limitTrigger<T extends Tagged>({ caller }: ProjectCtx, requested: T): T {
  const own = limitsOf(caller)?.tags;
  if (!own) return requested;
  const given = Array.isArray(requested.tags)
    ? Object.fromEntries(requested.tags.map((name) => [name, "true"]))
    : (requested.tags ?? {});
  return { ...requested, tags: { ...given, ...own } };
}

/** A trigger may return an existing run, but not to a token that may not read it. */
async function refuseBeyondToken(ctx: ProjectCtx, run_id: string): Promise<void> {
  const limits = limitsOf(ctx.caller);
  if (!limits) return;
  const run = await readRun(ctx, ctx.project_id, run_id);
  if (!run || !isRunWithin(limits, run)) throw notFound("run");
}

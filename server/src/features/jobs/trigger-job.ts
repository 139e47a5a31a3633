import type { Run } from "@millrace/contract/runs";
import type { TriggerItem, TriggerJob } from "@millrace/contract/triggers";
import { settleOwn } from "../../flow/dependencies/settle-own.ts";
import type { NewRun } from "../../flow/new-run.ts";
import { presentNewRun } from "../../flow/present-new-run.ts";
import { readRun } from "../../flow/read-run.ts";
import type { TriggerResult } from "../../flow/trigger-result.ts";
import { waitForEnd } from "../../flow/wait-for-end.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors.ts";
import { withHeaderKey } from "../../platform/idempotency-key.ts";
import type { RouteReply } from "../../platform/route.ts";
import { checkTrigger } from "./check-trigger.ts";
import { narrowTrigger, refuseBeyondToken } from "./narrow-trigger.ts";
import { readTrigger } from "./read-trigger.ts";
import { submitTrigger } from "./submit-trigger.ts";

type Asked = TriggerJob & { wait_secs?: number; header_key?: string };

/** Starts a run, or answers the one that stands for it. With `wait_secs` the answer waits for its end. Dry, it tells which. */
export async function triggerJob(ctx: ProjectCtx, ref: string, asked: Asked, reply: RouteReply): Promise<Run> {
  const { wait_secs, dry_run } = asked;
  const trigger = await readTrigger(ctx, itemOf(narrowTrigger(ctx, asked)), "body", dry_run);
  const result = dry_run ? await checkTrigger(ctx, ref, trigger) : await submitTrigger(ctx, ref, trigger);
  if (result.kind === "created") {
    if (wait_secs === undefined) return presentCreated(ctx, result);
    return answerWhenEnded(ctx, result.run.id, wait_secs, reply);
  }
  reply.status(200);
  if (result.kind === "unborn") return presentPreview(ctx, result);
  await refuseBeyondToken(ctx, result.run_id);
  reply.header("Idempotent-Replayed", "true");
  if (wait_secs !== undefined) return answerWhenEnded(ctx, result.run_id, wait_secs, reply);
  const run = await readRun(ctx, ctx.project_id, result.run_id);
  if (!run) throw notFound("run");
  return run;
}

/** What is asked of the run. Under a key it is compared with what was asked before, without what is about the call. */
function itemOf(asked: Asked): TriggerItem {
  if (asked.idempotency_key === undefined && asked.header_key === undefined) return asked;
  const { wait_secs: _wait, header_key, dry_run: _dry, project_id: _project, ...item } = asked;
  return withHeaderKey(item, header_key);
}

/** One that waits for a run which has failed already is canceled before it is answered. */
async function presentCreated(
  ctx: ProjectCtx,
  { run, created }: Extract<TriggerResult, { kind: "created" }>,
): Promise<Run> {
  if (!run.waits_on) return presentNewRun(run, created);
  await settleOwn(ctx, { project_id: ctx.project_id, run_id: run.id });
  const settled = await readRun(ctx, ctx.project_id, run.id);
  if (!settled) throw notFound("run");
  return settled;
}

/** As it would be if it were created now: one that waits for a run which has failed would be canceled. */
function presentPreview(ctx: ProjectCtx, { run, error }: { run: NewRun; error: Run["error"] }): Run {
  const isoIn = (secs: number) => new Date(ctx.watch.nowMs() + secs * 1_000).toISOString();
  const scheduled_at = run.scheduled_at ?? isoIn(run.delay_secs ?? 0);
  const unborn = presentNewRun(run, { created_at: isoIn(0), scheduled_at, deadline: null });
  return error ? { ...unborn, status: "canceled", error, finished_at: unborn.created_at } : unborn;
}

async function answerWhenEnded(ctx: ProjectCtx, run_id: string, secs: number, reply: RouteReply): Promise<Run> {
  const { run, hasEnded } = await waitForEnd(ctx, ctx.project_id, run_id, secs);
  if (!run) throw new ApiError("not_found", "The run was deleted while it was waited for.");
  reply.status(hasEnded ? 200 : 202);
  return run;
}

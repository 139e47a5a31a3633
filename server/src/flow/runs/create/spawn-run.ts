import type { SdkSpawnBody } from "@millrace/contract/runs/sdk-runs";
import { refuseOverridingByRun } from "../../../platform/access/policies/refuse-retagging.ts";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { hashJson } from "../../../platform/json/hash-json.ts";
import { parseInstant } from "../../../platform/time/instant.ts";
import { overBudget } from "../../budget/reserve-budget.ts";
import { contextOfAttempt, type TracedRun } from "../../trace.ts";
import { awaitChild, type ChildWait, findOwnChild, readChildWait } from "../../waits/await-child.ts";
import { lockLiveRun } from "../settle/fence.ts";
import { growTree } from "./loop-guards.ts";
import { readTags } from "./merge-tags.ts";
import type { NewRun, TriggerResult } from "./new-run.ts";
import { prepareRunInSlices, type Trigger } from "./prepare-run.ts";
import { triggerWithin } from "./trigger-runs.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

export type Spawned = { run_id: string; is_new: boolean };

const MAX_DEPTH = 32;
const MAX_TRIES = 5;

/**
 * Starts a child of the calling run, in its environment. A second call with the same key returns the first child. With
 * `wait` the caller is suspended until the child has ended.
 */
export async function spawnRun(ctx: RunCtx, body: SdkSpawnBody): Promise<Spawned> {
  const trigger = await readTrigger(ctx, body);
  const wait = readChildWait(body);
  const before = wait && (await findOwnChild(ctx, body.idempotency_key));
  if (before) return { run_id: before, is_new: false };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await spawnOnce(ctx, body.job_id, trigger, wait);
    if (result.kind === "created") return { run_id: result.run.id, is_new: true };
    if (result.kind === "existing") return { run_id: result.run_id, is_new: false };
    if (result.kind === "conflict") {
      throw new ApiError("idempotency_conflict", "The idempotency key was used for another request.");
    }
  }
  throw new ApiError("conflict", "The job keeps changing. Try again.");
}

async function readTrigger(ctx: RunCtx, body: SdkSpawnBody): Promise<Trigger> {
  const { job_id: _job, wait: _wait, wait_timeout_secs: _secs, scheduled_at, delay_secs, ...rest } = body;
  if (typeof scheduled_at === "string" && typeof delay_secs === "number") {
    throw invalid("body.delay_secs", "cannot be given together with scheduled_at", delay_secs);
  }
  const { idempotency_key: _key, ...content } = rest;
  return {
    ...rest,
    scheduled_at: typeof scheduled_at === "string" ? parseInstant("body.scheduled_at", scheduled_at) : null,
    delay_secs: delay_secs ?? null,
    body_hash: await hashJson({ ...content, scheduled_at, delay_secs }),
    created_by: `run:${ctx.run_id}`,
    trigger_type: "spawn",
    parent_run_id: ctx.run_id,
  };
}

/** In one transaction under the parent's lock: a cancel of the parent either finds the child, or prevents it. */
async function spawnOnce(
  ctx: RunCtx,
  job_ref: string,
  trigger: Trigger,
  wait: ChildWait | undefined,
): Promise<TriggerResult> {
  const job = await findTriggerableJob(ctx, ctx.project_id, job_ref);
  if (!job) throw invalid("body.job_id", "there is no such job in this project", job_ref);
  if (trigger.tags) {
    await refuseOverridingByRun(ctx, "runs:read", job, { tags: { ...job.tags, ...readTags(trigger.tags) } });
  }
  return inTransaction(ctx, async (tx) => {
    const parent = await lockParent(tx);
    const run = await prepareRunInSlices(job, { ...trigger, ...parent, awaited_by: wait?.id ?? null });
    // As for any trigger, the child may be an existing run: of a used key, a duplicate, or a debounced one.
    const [result = { kind: "stale" }] = await triggerWithin(tx, [run]);
    if (result.kind === "over_budget") throw overBudget(result);
    if (result.kind === "created") await growTree(tx, tx.project_id, tx.run_id);
    if (wait && result.kind === "created") await awaitChild(tx, wait, run.id);
    if (wait && result.kind === "existing") await awaitChild(tx, wait, result.run_id);
    return result;
  });
}

/** What the child inherits from its parent. */
async function lockParent(
  tx: RunCtx & InTransaction,
): Promise<Pick<NewRun, "environment_id" | "spawn_depth" | "traceparent">> {
  await lockLiveRun(tx);
  const { rows } = await sql<TracedRun & { environment_id: string; spawn_depth: number }>`
    select environment_id, spawn_depth + 1 as spawn_depth, id, workflow_run_id, step_ref, traceparent from runs
    where project_id = ${tx.project_id} and id = ${tx.run_id} for no key update`.execute(tx.db);
  const [parent] = rows;
  if (!parent) throw new Error("the fenced run was not found");
  const { environment_id, spawn_depth } = parent;
  if (spawn_depth > MAX_DEPTH) {
    throw new ApiError("spawn_depth_exceeded", `Runs can spawn runs at most ${MAX_DEPTH} levels deep.`);
  }
  return { environment_id, spawn_depth, traceparent: contextOfAttempt(parent, tx.attempt) };
}

import { createHash } from "node:crypto";
import type { SdkSpawnBody } from "@millrace/contract/sdk-runs";
import { sql } from "kysely";
import type { InTransaction, RunCtx } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { invalid, Refusal } from "../platform/errors.ts";
import { parseInstant } from "../platform/instant.ts";
import { canonicalJson } from "../platform/json/canonical-json.ts";
import { countTransitions } from "./count-transitions.ts";
import { debounceRuns } from "./debounce-runs.ts";
import { type Enqueued, enqueueRuns } from "./enqueue-runs.ts";
import { lockLiveRun } from "./fence.ts";
import { findDuplicates } from "./find-duplicates.ts";
import { wakeLanes } from "./lanes.ts";
import type { NewRun } from "./new-run.ts";
import { prepareRun, type Trigger } from "./prepare-run.ts";
import { forgetIdempotencyKeys, pointIdempotencyKeys, takeIdempotencyKeys } from "./take-idempotency-keys.ts";
import type { Settled, TriggerResult } from "./trigger-result.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

export type Spawned = { run_id: string; is_new: boolean };

const DEEPEST = 32;
const MAX_TRIES = 5;

/** Starts a child of the calling run, in its environment. Asked again with the same key, it answers the first child. */
export async function spawnRun(ctx: RunCtx, body: SdkSpawnBody): Promise<Spawned> {
  const trigger = readTrigger(ctx, body);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await spawnOnce(ctx, body.job_id, trigger);
    if (result.kind === "created") return { run_id: result.run.id, is_new: true };
    if (result.kind === "existing") return { run_id: result.run_id, is_new: false };
    if (result.kind === "conflict") {
      throw new Refusal("idempotency_conflict", "The idempotency key was used for another request.");
    }
  }
  throw new Refusal("conflict", "The job is being changed right now.");
}

function readTrigger(ctx: RunCtx, { job_id: _, scheduled_at, delay_secs, ...asked }: SdkSpawnBody): Trigger {
  if (typeof scheduled_at === "string" && typeof delay_secs === "number") {
    throw invalid("body.delay_secs", "stands in place of scheduled_at, not beside it", delay_secs);
  }
  const { idempotency_key: _key, ...content } = asked;
  return {
    ...asked,
    scheduled_at: typeof scheduled_at === "string" ? parseInstant("body.scheduled_at", scheduled_at) : null,
    delay_secs: delay_secs ?? null,
    body_hash: createHash("sha256")
      .update(canonicalJson({ ...content, scheduled_at, delay_secs }))
      .digest("hex"),
    created_by: `run:${ctx.run_id}`,
    trigger_type: "spawn",
    parent_run_id: ctx.run_id,
  };
}

/** In one transaction under the parent's lock: whoever cancels the parent either finds the child, or forbids it. */
async function spawnOnce(ctx: RunCtx, job_ref: string, trigger: Trigger): Promise<TriggerResult> {
  const job = await findTriggerableJob(ctx, ctx.project_id, job_ref);
  if (!job) throw invalid("body.job_id", "there is no such job in this project", job_ref);
  const settled: Settled = new Map();
  const { run, enqueued } = await inTransaction(ctx, async (tx) => {
    const parent = await lockParent(tx);
    const run: NewRun = prepareRun(job, { ...trigger, ...parent });
    return { run, enqueued: await enqueueChild(tx, run, settled) };
  });
  const born = enqueued.runs.get(run.id);
  if (!born) return settled.get(run) ?? { kind: "stale" };
  wakeLanes(ctx, enqueued.lanes);
  countTransitions(ctx, [{ from_status: null, to_status: "pending" }]);
  return { kind: "created", run, born };
}

/** As any trigger: a key used before, a duplicate or a run that waits to be debounced stands for the child. */
async function enqueueChild(tx: RunCtx & InTransaction, run: NewRun, settled: Settled): Promise<Enqueued> {
  settled.clear(); // the transaction may be run again
  await takeIdempotencyKeys(tx, [run], settled);
  if (settled.has(run)) return enqueueRuns(tx, []);
  await findDuplicates(tx, [run], settled);
  if (!settled.has(run)) await debounceRuns(tx, [run], settled);
  const keyed = run.idempotency_key === null ? [] : [run];
  if (settled.has(run)) await pointIdempotencyKeys(tx, keyed, settled);
  const enqueued = await enqueueRuns(tx, settled.has(run) ? [] : [run]);
  if (!settled.has(run) && !enqueued.runs.has(run.id)) await forgetIdempotencyKeys(tx, keyed);
  return enqueued;
}

/** What the child has of its parent. */
async function lockParent(tx: RunCtx & InTransaction): Promise<Pick<NewRun, "environment_id" | "spawn_depth">> {
  await lockLiveRun(tx);
  const { rows } = await sql<{ environment_id: string; spawn_depth: number }>`
    select environment_id, spawn_depth + 1 as spawn_depth from runs
    where project_id = ${tx.project_id} and id = ${tx.run_id} for no key update`.execute(tx.db);
  if (!rows[0]) throw new Error("the run left its own fence");
  if (rows[0].spawn_depth > DEEPEST) {
    throw new Refusal("spawn_depth_exceeded", `Runs spawn runs at most ${DEEPEST} levels deep.`);
  }
  return rows[0];
}

import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { unblockResumed } from "../../limits/block-job.ts";
import { releaseSlots } from "../../limits/unblock-next.ts";
import { cachedVersion, findJobVersion } from "../create/job-version.ts";
import type { LeasedRun, Outcome } from "../dispatch/outcome.ts";
import { endRuns, type RunEnd } from "./end-runs.ts";
import { planSettle } from "./plan-settle.ts";
import { type Requeue, requeueRuns } from "./requeue-runs.ts";

export type Settling = {
  run: LeasedRun;
  outcome: Outcome;
  /** Only if the lease has expired: its holder may have renewed it since we read it. */
  is_expired?: boolean;
};

/** Retries when renewals of the lease interfere. */
const MAX_TRIES = 20;

/**
 * Writes the outcomes of many runs, in one commit per kind of outcome. Fenced by attempt and lease token: returns for
 * each whether it was applied. False: the run has moved on, and nothing was changed.
 */
export async function settleRuns(ctx: Ctx, settlings: readonly Settling[]): Promise<boolean[]> {
  const settled = new Set<string>();
  let left = settlings;
  for (let tries = 0; left.length > 0 && tries < MAX_TRIES; tries++) {
    for (const run_id of await settleOnce(ctx, left)) settled.add(run_id);
    left = await stillHeld(
      ctx,
      left.filter(({ run, is_expired }) => !is_expired && !settled.has(run.run_id)),
    );
  }
  return settlings.map(({ run }) => settled.has(run.run_id));
}

/** Those not settled because their lease was renewed at that moment, or because they got slots after their claim. */
async function stillHeld(ctx: Ctx, missed: readonly Settling[]): Promise<Settling[]> {
  if (missed.length === 0) return [];
  const { rows } = await sql<{ run_id: string; slots: string[] | null }>`
    select q.run_id, q.slots from unnest(
      ${missed.map(({ run }) => run.project_id)}::uuid[], ${missed.map(({ run }) => run.run_id)}::uuid[],
      ${missed.map(({ run }) => run.lease_token)}::uuid[]) as g(project_id, run_id, lease_token)
    join run_queue q on q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
    join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status = 'running'`.execute(ctx.db);
  const held = new Map(rows.map((row) => [row.run_id, row.slots]));
  return missed.flatMap((settling) => {
    const slots = held.get(settling.run.run_id);
    return slots === undefined ? [] : [{ ...settling, run: { ...settling.run, slots } }];
  });
}

async function settleOnce(ctx: Ctx, settlings: readonly Settling[]): Promise<string[]> {
  const ends: RunEnd[] = [];
  const requeues: Requeue[] = [];
  const accepted: LeasedRun[] = [];
  for (const { run, outcome, is_expired = false } of settlings) {
    if (outcome.kind === "accepted") {
      accepted.push(run);
      continue;
    }
    const version =
      cachedVersion(ctx, run.job_version_id) ?? (await findJobVersion(ctx, run.project_id, run.job_version_id));
    const settlement = planSettle(run, outcome, version, ctx.config.mode);
    const { http_status = null, duration_ms = null } = outcome;
    const { on_failure_job_id, unreachable_timeout_secs } = version;
    if (settlement.kind === "end")
      ends.push({ ...settlement, run, is_expired, http_status, duration_ms, on_failure_job_id });
    else {
      const detail = { http_status, duration_ms, error: settlement.error };
      requeues.push({ ...settlement, run, is_expired, detail, unreachable_timeout_secs });
    }
  }
  return [...(await endAll(ctx, ends)), ...(await requeueAll(ctx, requeues)), ...(await acceptRuns(ctx, accepted))];
}

async function endAll(ctx: Ctx, ends: RunEnd[]): Promise<string[]> {
  const ended = await withSlots(ctx, ends, endRuns);
  return ended.map((run) => run.run_id);
}

async function requeueAll(ctx: Ctx, requeues: Requeue[]): Promise<string[]> {
  const requeued = await withSlots(ctx, requeues, requeueRuns);
  await unblockResumed(
    ctx,
    requeued.filter((run) => run.is_job_paused),
  );
  return requeued.map((run) => run.run_id);
}

/** Runs without slots are written in one statement; those with slots release them in the same transaction. */
async function withSlots<T extends { run: LeasedRun }, R extends { run_id: string }>(
  ctx: Ctx,
  all: T[],
  write: (ctx: Ctx, some: T[]) => Promise<R[]>,
): Promise<R[]> {
  const unlimited = all.filter(({ run }) => !run.slots?.length);
  const written = unlimited.length > 0 ? await write(ctx, unlimited) : [];
  const limited = all.filter(({ run }) => run.slots?.length);
  for (const [project_id, some] of groupBy(limited, ({ run }) => run.project_id)) {
    const rows = await inTransaction(ctx, async (tx) => {
      const done = await write(tx, some);
      const moved = new Set(done.map((row) => row.run_id));
      const slots = some.flatMap(({ run }) => (moved.has(run.run_id) ? (run.slots ?? []) : []));
      const releasing = releaseSlots(tx, project_id, slots);
      tx.commitNow();
      await releasing;
      return done;
    });
    written.push(...rows);
  }
  return written;
}

/**
 * A run whose endpoint returned 202 owns its lease from now on: its own heartbeats renew it, not an instance. It keeps
 * its concurrency slots. A run that completed before its 202 was stored has no lease left and is not found.
 */
export async function acceptRuns(ctx: Ctx, runs: readonly LeasedRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const given = runs
    .map(({ project_id, run_id, lease_token }) => ({ project_id, run_id, lease_token }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  const { rows } = await sql<{ run_id: string }>`
    with held as materialized (
      select q.project_id, q.run_id
      from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, run_id uuid, lease_token uuid),
      lateral (
        select q.project_id, q.run_id from run_queue q
        where q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
        for update
      ) q
    )
    update run_queue q set accepted_at = clock(), instance_id = null,
      lease_until = least(clock() + q.heartbeat_timeout_secs * interval '1 second', q.deadline)
    from held h where q.project_id = h.project_id and q.run_id = h.run_id
    returning q.run_id`.execute(ctx.db);
  return rows.map((row) => row.run_id);
}

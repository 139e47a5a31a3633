import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type DueRows, processDue } from "../runs/maintain/process-due-rows.ts";
import { type JobLimits, rateOfWindow } from "./job-limits.ts";
import { addStart, nextRoomMs, type RateWindow, roomIn, windowAt } from "./rate-window.ts";
import { unblockNext } from "./unblock-next.ts";

const PAGE = 100;
const WINDOWS: DueRows = {
  name: "release-rates",
  rows: sql`rate_windows t where t.next_at is not null`,
  at: sql`t.next_at`,
};
const MAX_AT_ONCE = 500;

type DueWindow = { project_id: string; key: string };

/** Unblocks runs blocked on a rate limit when its window has capacity. */
export function releaseRates(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, WINDOWS, PAGE, (ofProject, max) => releasePage(ctx, ofProject, max));
}

async function releasePage(ctx: Ctx, ofProject: RawBuilder<unknown>, max: number): Promise<number> {
  const { rows } = await sql<DueWindow>`
    /* prepared */
    select project_id, key from rate_windows where next_at is not null and next_at <= clock() ${ofProject}
    order by next_at limit ${sql.lit(max)}`.execute(ctx.db);
  for (const window of rows) await inTransaction(ctx, (tx) => release(tx, window));
  return rows.length;
}

/**
 * Holds the window's lock, as does a claim that blocks runs on the window: either we see those runs, or the claim sets
 * `next_at` after us. Grants no more starts than the window has left: one grant too many would let a run start before
 * an earlier one that was refused meanwhile.
 */
async function release(tx: Ctx & InTransaction, { project_id, key }: DueWindow): Promise<void> {
  const window = await takeWindow(tx, project_id, key);
  if (!window) return;
  const limit = rateOfWindow(key, window.job);
  if (!limit) {
    const unblocked = await unblockNext(tx, project_id, new Map([[key, MAX_AT_ONCE]])); // they no longer need it
    if (unblocked === MAX_AT_ONCE) await scheduleNextRelease(tx, project_id, key, window.now_ms);
    return;
  }
  const now = windowAt(window, limit.window_secs, window.now_ms);
  const granted = await countGranted(tx, project_id, key, window.job.job_id);
  const room = Math.min(MAX_AT_ONCE, roomIn(now, limit.max) - granted);
  const unblocked = room > 0 ? await unblockNext(tx, project_id, new Map([[key, room]])) : 0;
  if (room > 0 && unblocked < room) return;
  for (let start = 0; start < granted + unblocked; start++) addStart(now);
  await scheduleNextRelease(tx, project_id, key, nextRoomMs(now, limit.max));
}

type TakenWindow = RateWindow & { job: JobLimits; now_ms: number };

async function takeWindow(tx: Ctx & InTransaction, project_id: string, key: string): Promise<TakenWindow | undefined> {
  const { rows } = await sql<Omit<TakenWindow, "job"> & JobLimits & { window_secs: number }>`
    /* prepared */
    with taken as (
      update rate_windows set next_at = null, updated_at = clock()
      where project_id = ${project_id} and key = ${key} and next_at <= clock()
      returning job_id, starts, last_slot, window_secs
    )
    select t.starts, t.last_slot, t.window_secs, (extract(epoch from clock()) * 1000)::float8 as now_ms,
      j.id as job_id, false as is_paused, j.max_concurrency, j.max_concurrency_per_key, j.rate_limit_max,
      j.rate_limit_window_secs, j.rate_limit_keys
    from taken t join jobs j on j.project_id = ${project_id} and j.id = t.job_id`.execute(tx.db);
  const [row] = rows;
  return row && { ...row, job: row };
}

/** In a statement of its own, which sees what was committed before the window was locked. */
async function countGranted(tx: Ctx & InTransaction, project_id: string, key: string, job_id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    /* prepared */
    select count(*)::int as count from run_queue q
    where q.project_id = ${project_id} and q.job_id = ${job_id} and q.granted_by is not null and q.lease_until is null
      and (q.granted_by = ${key} and q.blocked_on is null or ${key} = any(q.kept))`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** All released runs may be admitted, and then nothing else would set the timer for those that stay blocked. */
async function scheduleNextRelease(
  tx: Ctx & InTransaction,
  project_id: string,
  key: string,
  next_ms: number,
): Promise<void> {
  await sql`
    /* prepared */
    update rate_windows set next_at = to_timestamp(${next_ms}::float8 / 1000.0)
    where project_id = ${project_id} and key = ${key}`.execute(tx.db);
}

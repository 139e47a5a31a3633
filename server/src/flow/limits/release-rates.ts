import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type DueRows, hasDue, processDue } from "../runs/maintain/process-due-rows.ts";
import { type JobLimits, QUEUE_LIMITS, queueOfWindow, rateOfWindow } from "./job-limits.ts";
import { addStart, emptyWindow, nextRoomMs, type RateWindow, roomIn, SLOTS, windowAt } from "./rate-window.ts";
import { countGranted, unblockNext } from "./unblock-next.ts";

const PAGE = 100;
const WINDOWS: DueRows = {
  name: "release-rates",
  rows: sql`rate_windows t where t.next_at is not null`,
  at: sql`t.next_at`,
};

/** A rate limit has room again. */
export const HAS_DUE_WINDOWS = hasDue(WINDOWS);
const MAX_BATCH = 500;
const GRACE_SECS = 30;

type WindowKey = { project_id: string; key: string };

/** Unblocks runs blocked on a rate limit when its window has capacity. */
export function releaseRates(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, WINDOWS, PAGE, (ofProject, max) => releasePage(ctx, ofProject, max));
}

async function releasePage(ctx: Ctx, ofProject: Sql, max: number): Promise<number> {
  const { rows } = await sql<WindowKey>`
    /* prepared */
    select project_id, key from rate_windows where next_at is not null and next_at <= clock() ${ofProject}
    order by next_at limit ${sql.lit(max)}`.execute(ctx.db);
  for (const window of rows) await inTransaction(ctx, (tx) => release(tx, window, sql`next_at <= clock()`));
  return rows.length;
}

/**
 * For the reconciliation: releases windows that runs are blocked on and whose timer is missing, was missed, or is long
 * after the window has room, and those of limits that the job no longer has. Returns how many runs were unblocked.
 */
export async function releaseStrandedRates(ctx: Ctx): Promise<number> {
  const { rows } = await sql<StrandedWindow>`
    select r.project_id, r.key, case when r.is_of_job then j.id end as job_id from (
      select distinct on (project_id, blocked_on) project_id, blocked_on as key, job_id, starts_with(blocked_on, 'rate:') as is_of_job
      from run_queue
      where blocked_on is not null and blocked_on <> 'not_due' and (blocked_on like 'rate:%' or blocked_on like 'queue!_rate:%' escape '!')
    ) r
    join jobs j on j.project_id = r.project_id and j.id = r.job_id
    left join queues k on k.project_id = r.project_id and k.name = split_part(r.key, ':', 2)
    left join rate_windows w on w.project_id = r.project_id and w.key = r.key
    cross join lateral (${rateOf()}) rate
    where w.next_at is null or w.next_at < clock() - ${GRACE_SECS} * interval '1 second' or rate.max is null
      -- The clock went back, and the window lies in the future.
      or w.last_slot - floor(extract(epoch from clock()) * 60 / w.window_secs) > ${SLOTS}::int
      -- A timer may be a sixtieth of the window late, the length of a slot of it.
      or (rate.starts < rate.max and w.next_at > clock() + (${GRACE_SECS} + w.window_secs / 60.0) * interval '1 second')
    limit ${PAGE}`.execute(ctx.db);
  let unblocked = 0;
  for (const window of rows) unblocked += await inTransaction(ctx, (tx) => releaseStranded(tx, window));
  return unblocked;
}

/** The limit behind a window `w`, null if the job no longer has it, and the starts that are still in the window. */
function rateOf(): Sql {
  return sql`
    select case when not r.is_of_job then k.rate_limit_max when split_part(r.key, ':', 3) = '' then j.rate_limit_max else (
        select (k.value ->> 'max')::int from jsonb_array_elements(j.rate_limit_keys) k
        where k.value ->> 'name' = split_part(r.key, ':', 3)) end as max,
      (select coalesce(sum(s.count), 0)::int from unnest(w.starts) with ordinality as s(count, nth)
        where s.nth > floor(extract(epoch from clock()) * 60 / w.window_secs) - w.last_slot) as starts`;
}

type StrandedWindow = WindowKey & { job_id: string | null };

async function releaseStranded(tx: Ctx & InTransaction, window: StrandedWindow): Promise<number> {
  const { starts, last_slot, window_secs } = emptyWindow(1);
  await sql`
    insert into rate_windows (project_id, key, job_id, window_secs, starts, last_slot, updated_at)
    values (${window.project_id}, ${window.key}, ${window.job_id}, ${window_secs}, ${starts}::int[], ${last_slot}, clock())
    on conflict (project_id, key) do nothing`.execute(tx.db);
  return release(tx, window, sql`true`);
}

/**
 * Holds the window's lock, as does a claim that blocks runs on the window: either we see those runs, or the claim sets
 * `next_at` after us. Grants no more starts than the window has left: one grant too many would let a run start before
 * an earlier one that was refused meanwhile.
 */
async function release(tx: Ctx & InTransaction, { project_id, key }: WindowKey, isDue: Sql): Promise<number> {
  const window = await takeWindow(tx, { project_id, key }, isDue);
  if (!window) return 0;
  const limit = rateOfWindow(key, window.job);
  if (!limit) {
    const unblocked = await unblockNext(tx, project_id, new Map([[key, MAX_BATCH]])); // they no longer need it
    if (unblocked === MAX_BATCH) await scheduleNextRelease(tx, project_id, key, window.now_ms);
    return unblocked;
  }
  const now = windowAt(window, limit.window_secs, window.now_ms);
  const granted = await countGranted(tx, project_id, key, window.job.job_id ?? null);
  const room = Math.min(MAX_BATCH, roomIn(now, limit.max) - granted);
  const unblocked = room > 0 ? await unblockNext(tx, project_id, new Map([[key, room]])) : 0;
  if (room > 0 && unblocked < room) return unblocked;
  for (let start = 0; start < granted + unblocked; start++) addStart(now);
  await scheduleNextRelease(tx, project_id, key, nextRoomMs(now, limit.max));
  return unblocked;
}

type TakenWindow = RateWindow & { job: JobLimits; now_ms: number };

async function takeWindow(
  tx: Ctx & InTransaction,
  { project_id, key }: WindowKey,
  isDue: Sql,
): Promise<TakenWindow | undefined> {
  const { columns, limits } = limitSourceOf(project_id, key);
  const { rows } = await sql<Omit<TakenWindow, "job"> & JobLimits & { window_secs: number }>`
    /* prepared */
    with taken as (
      update rate_windows set next_at = null, updated_at = clock()
      where project_id = ${project_id} and key = ${key} and ${isDue}
      returning job_id, starts, last_slot, window_secs
    )
    select t.starts, t.last_slot, t.window_secs, (extract(epoch from clock()) * 1000)::float8 as now_ms,
      ${columns}
    from taken t ${limits}`.execute(tx.db);
  const [row] = rows;
  return row && { ...row, job: row };
}

/** Where the limit of a window is read: its job, or its queue, which may be gone. */
function limitSourceOf(project_id: string, key: string) {
  const queue = queueOfWindow(key);
  const ofJob = {
    columns: sql`j.id as job_id, j.rate_limit_max, j.rate_limit_window_secs, j.rate_limit_keys`,
    limits: sql`join jobs j on j.project_id = ${project_id} and j.id = t.job_id`,
  };
  if (queue === undefined) return ofJob;
  return {
    columns: sql`null::uuid as job_id, ${QUEUE_LIMITS}`,
    limits: sql`
      cross join (select ${queue}::text as queue) j
      left join queues k on k.project_id = ${project_id} and k.name = j.queue`,
  };
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

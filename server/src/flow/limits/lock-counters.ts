import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { Counters, Waiter } from "./admit-runs.ts";
import { type JobLimits, limitsOf, neededLimits, QUEUE_LIMITS, queueOfWindow, windowsOf } from "./job-limits.ts";
import { emptyWindow, type RateWindow, roomIn, windowAt } from "./rate-window.ts";
import { MAX_UNSEEN, readUnseen } from "./read-unseen.ts";

/** A run that the caller decides about, with its row of the queue locked. */
type DecidedRun = JobLimits & {
  run_id: string;
  host: string;
  rank_at: string;
  concurrency_key: string | null;
  payload: unknown;
  is_starving: boolean;
};

/** Reads at most this many waiters of a limit, even if it has more capacity. */
const MAX_WAITING = 1_000;
/** Reads this many more than there is capacity for, to find those that a granted run would overtake. */
const MORE_WAITING = 20;

/**
 * Locks every counter these runs need, creating new ones, in order of their keys, and reads the waiters of those with
 * capacity. Both the time and the waiters are read after the locks: a transaction that removes a waiter locks the
 * counter too. `runs` are in order of rank.
 */
export async function lockCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly DecidedRun[],
): Promise<Counters> {
  const slots = new Map(runs.flatMap((run) => limitsOf(run, run).slots.map(({ key, max }) => [key, max] as const)));
  const windowed = runs.flatMap((run) =>
    windowsOf(run, run).map((window) => ({
      ...window,
      job_id: queueOfWindow(window.key) === undefined ? run.job_id : null,
    })),
  );
  const rates = new Map(windowed.map((window) => [window.key, window]));
  const [active, windows] = await Promise.all([
    slots.size === 0 ? new Map<string, number>() : lockSlots(tx, project_id, [...slots.keys()]),
    rates.size === 0 ? new Map<string, RateWindow>() : lockWindows(tx, project_id, rates),
  ]);
  const rooms = [
    ...[...slots].map(([key, max]) => ({ key, room: max - (active.get(key) ?? 0) })),
    ...[...windows].map(([key, window]) => ({ key, room: roomIn(window, rates.get(key)?.max ?? 0) })),
  ];
  // Whether a starving run may keep its slots depends on the first waiter of a full limit.
  const watched = new Set(runs.filter((run) => run.is_starving).flatMap((run) => neededLimits(limitsOf(run, run))));
  const open = rooms
    .filter(({ key, room }) => room > 0 || watched.has(key))
    .map(({ key, room }) => ({ key, room: Math.max(1, room) }));
  const isScarce = rooms.some(({ room }) => room > 0 && room <= MAX_UNSEEN);
  const [waiting, unseen] = await Promise.all([
    readWaiting(tx, project_id, open, runs),
    isScarce ? readUnseen(tx, project_id, runs) : [],
  ]);
  return { active, windows, waiting, unseen };
}

type Room = { key: string; room: number };

/**
 * The first waiters of each limit, up to its capacity. A run released by one limit of a job is about to request all of
 * them. One that is blocked again has only the slots that it keeps.
 */
async function readWaiting(
  tx: Ctx & InTransaction,
  project_id: string,
  rooms: readonly Room[],
  runs: readonly DecidedRun[],
): Promise<Map<string, Waiter[]>> {
  const waiting = new Map<string, Waiter[]>(rooms.map(({ key }) => [key, []]));
  if (rooms.length === 0) return waiting;
  const [blocked, granted] = await Promise.all([readBlocked(tx, project_id, rooms), readGranted(tx, project_id, runs)]);
  for (const row of blocked) {
    const { run_id, rank, refused_since, since, blocked_on } = row;
    waiting.get(blocked_on)?.push({ run_id, rank, refused_since, since, is_granted: false, needs: needsOf(row) });
  }
  for (const row of granted) {
    const { run_id, rank, refused_since, since, granted_by, kept, is_blocked } = row;
    const needs = needsOf(row);
    const requested = is_blocked ? [] : [granted_by, ...needs];
    for (const key of new Set([...requested, ...(kept ?? [])]))
      waiting.get(key)?.push({ run_id, rank, refused_since, since, is_granted: true, needs });
  }
  return waiting;
}

type QueuedRow = Pick<Waiter, "run_id" | "rank" | "refused_since" | "since"> &
  JobLimits & { concurrency_key: string | null; limits: string[] | null };

/** Under a limit of a queue, the runs of other jobs wait too: each is read with the limits of its own job. */
function needsOf({ concurrency_key, limits, ...job }: QueuedRow): string[] {
  const common = limitsOf({ concurrency_key, payload: null }, { ...job, rate_limit_keys: [] });
  return [...neededLimits(common), ...(limits ?? [])];
}

const WITH_LIMITS = sql`q.*, j.max_concurrency, j.max_concurrency_per_key, j.rate_limit_max, j.rate_limit_window_secs, ${QUEUE_LIMITS}`;

function limitsOfJobs(project_id: string): Sql {
  return sql`
    join jobs j on j.project_id = ${project_id} and j.id = q.job_id
    left join queues k on k.project_id = j.project_id and k.name = j.queue`;
}

const RANK = sql`(extract(epoch from q.rank_at) * 1000000)::float8`;
const REFUSED_SINCE = sql`(extract(epoch from q.refused_at) * 1000000)::float8`;
const SINCE = sql`(extract(epoch from greatest(q.run_at, q.released_at)) * 1000000)::float8`;

async function readBlocked(tx: Ctx & InTransaction, project_id: string, rooms: readonly Room[]) {
  const keys = rooms.map(({ key }) => key);
  const limits = rooms.map(({ room }) => Math.min(room + MORE_WAITING, MAX_WAITING));
  const { rows } = await sql<QueuedRow & { blocked_on: string }>`
    /* prepared */
    select ${WITH_LIMITS} from unnest(${keys}::text[], ${limits}::int[]) as g(key, room) cross join lateral (
      select q.run_id, ${RANK} as rank, ${REFUSED_SINCE} as refused_since, ${SINCE} as since, q.job_id, q.concurrency_key, q.limits, q.blocked_on from run_queue q
      where q.project_id = ${project_id} and q.blocked_on = g.key and q.blocked_on is not null and q.blocked_on <> 'not_due'
      order by q.rank_at, q.run_id limit g.room
    ) q ${limitsOfJobs(project_id)}`.execute(tx.db);
  return rows;
}

async function readGranted(tx: Ctx & InTransaction, project_id: string, runs: readonly DecidedRun[]) {
  const competing = competingRuns(runs);
  const { rows } = await sql<QueuedRow & { granted_by: string; kept: string[] | null; is_blocked: boolean }>`
    /* prepared */
    select ${WITH_LIMITS} from ${competing.from} cross join lateral (
      select q.run_id, ${RANK} as rank, ${REFUSED_SINCE} as refused_since, ${SINCE} as since, q.job_id, q.concurrency_key, q.limits, q.granted_by, q.kept,
        q.blocked_on is not null as is_blocked from run_queue q
      where q.project_id = ${project_id} and ${competing.among} and q.granted_by is not null
      order by q.rank_at, q.run_id limit ${MAX_WAITING}
    ) q ${limitsOfJobs(project_id)}`.execute(tx.db);
  return rows;
}

/** Grants to runs of the same jobs; with a limit of a queue, to all runs of the project, which are few. */
function competingRuns(runs: readonly DecidedRun[]) {
  const isOfQueue = runs.some((run) => run.queue_max_concurrency !== null || run.queue_rate_limit_max !== null);
  if (isOfQueue) return { from: sql`(select 1) g`, among: sql`true` };
  const job_ids = [...new Set(runs.map((run) => run.job_id))];
  return { from: sql`unnest(${job_ids}::uuid[]) as g(job_id)`, among: sql`q.job_id = g.job_id` };
}

async function lockSlots(tx: Ctx & InTransaction, project_id: string, keys: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; active: number }>`
    /* prepared */
    insert into concurrency_counters as c (project_id, key)
    select ${project_id}, k from unnest(${keys}::text[]) as k order by k
    on conflict (project_id, key) do update set active = c.active
    returning c.key, c.active`.execute(tx.db);
  return new Map(rows.map((row) => [row.key, row.active]));
}

async function lockWindows(
  tx: Ctx & InTransaction,
  project_id: string,
  rates: ReadonlyMap<string, { job_id: string | null; window_secs: number }>,
): Promise<Map<string, RateWindow>> {
  const wanted = Array.from(rates, ([key, { job_id, window_secs }]) => ({ key, job_id, ...emptyWindow(window_secs) }));
  const locking = sql<RateWindow & { key: string }>`
    /* prepared */
    insert into rate_windows as w (project_id, key, job_id, window_secs, starts, last_slot, updated_at)
    select ${project_id}, g.key, g.job_id, g.window_secs, g.starts, g.last_slot, clock()
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as g(key text, job_id uuid, window_secs int, starts int[], last_slot bigint)
    order by g.key
    on conflict (project_id, key) do update set updated_at = excluded.updated_at
    returning w.key, w.window_secs, w.starts, w.last_slot`.execute(tx.db);
  // Sent together: the time is read when the locks are held.
  const [{ rows }, nowMs] = await Promise.all([locking, readTime(tx)]);
  return new Map(
    rows.map((row) => [row.key, windowAt(row, rates.get(row.key)?.window_secs ?? row.window_secs, nowMs)]),
  );
}

async function readTime(tx: Ctx & InTransaction): Promise<number> {
  const { rows } = await sql<{ now_ms: number }>`
    select (extract(epoch from clock()) * 1000)::float8 as now_ms`.execute(tx.db);
  return rows[0]?.now_ms ?? 0;
}

/** Writes the decision, and when each full window has capacity again. */
export async function writeCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  { active, windows }: Counters,
  nextRoomMs: Map<string, number>,
): Promise<void> {
  await Promise.all([
    active.size > 0 && writeSlots(tx, project_id, active),
    windows.size > 0 && writeWindows(tx, project_id, windows, nextRoomMs),
  ]);
}

async function writeSlots(tx: Ctx & InTransaction, project_id: string, active: Map<string, number>): Promise<void> {
  const keys = [...active.keys()];
  await sql`
    /* prepared */
    update concurrency_counters c set active = g.active
    from unnest(${keys}::text[], ${[...active.values()]}::int[]) as g(key, active)
    where c.project_id = ${project_id} and c.key = any(${keys}::text[]) and c.key = g.key`.execute(tx.db);
}

async function writeWindows(
  tx: Ctx & InTransaction,
  project_id: string,
  windows: Map<string, RateWindow>,
  nextRoomMs: Map<string, number>,
): Promise<void> {
  const written = Array.from(windows, ([key, window]) => ({ key, ...window, next_ms: nextRoomMs.get(key) ?? null }));
  await sql`
    update rate_windows w set starts = g.starts, last_slot = g.last_slot, window_secs = g.window_secs,
      next_at = coalesce(to_timestamp(g.next_ms / 1000.0), w.next_at), updated_at = clock()
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
      as g(key text, starts int[], last_slot bigint, window_secs int, next_ms float8)
    where w.project_id = ${project_id} and w.key = g.key`.execute(tx.db);
}

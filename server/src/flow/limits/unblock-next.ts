import { DEFAULT_QUEUE } from "@millrace/contract/workers/queues";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { collectForCommit } from "../../platform/database/after-commit.ts";
import { fewRows } from "../../platform/database/few-rows.ts";
import { hasKeyOf } from "../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { type Lane, wakeLanes } from "../runs/claim/lanes.ts";
import { takeTurns, writeRanks } from "../runs/turns/take-turns.ts";
import { commonLimits } from "./job-limits.ts";

/**
 * Unblocks the next runs blocked on each reason, in queue order; for a limit each gets a grant: a slot that no other
 * run takes. Never waits for locks: a transaction that locks a blocked row and leaves it blocked retries its unblock
 * after its own commit. Updates by key, not by row position: a row changed since this statement began has a new
 * version, and its unblock would be lost. Returns how many were unblocked.
 */
export async function unblockNext(
  tx: Ctx & InTransaction,
  project_id: string,
  counts: ReadonlyMap<string, number>,
): Promise<number> {
  const lanes = await unblockSilently(tx, project_id, counts);
  wakeLanes(tx, lanes);
  return lanes.length;
}

/** The same without waking the lanes: for a caller that claims the runs itself. */
export async function unblockSilently(
  tx: Ctx & InTransaction,
  project_id: string,
  counts: ReadonlyMap<string, number>,
): Promise<Lane[]> {
  if (counts.size === 0) return [];
  const { rows } = await sql<Lane>`
    /* prepared */
    with heads as materialized (
      select g.lane, g.reason as line, q.*
      from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) with ordinality as g(reason, max, lane),
      lateral (
        select q.project_id, q.run_id, q.job_id, q.rank_at, q.turn_at from run_queue q
        where q.project_id = ${project_id} and q.blocked_on = g.reason and q.blocked_on is not null
          and q.blocked_on <> 'not_due'
        order by q.rank_at, q.run_id limit g.max for update skip locked
      ) q
    ),
    ${takeTurns(BLOCKED)},
    moved as (${writeRanks(sql`not d.is_taken`)})
    update run_queue q set blocked_on = null, granted_by = ${limitOf("q.blocked_on")}, released_at = clock(),
      rank_at = coalesce((select d.rank_at from dealt d where d.run_id = q.run_id and d.is_taken), q.rank_at)
    from taken t where ${hasKeyOf("q", "t", "run_id")}
    returning q.project_id, q.host, q.rank_at`.execute(tx.db);
  return rows;
}

/** Which rows are blocked on the reason `p.line`. */
const BLOCKED = sql`q.blocked_on = p.line and q.blocked_on is not null and q.blocked_on <> 'not_due'`;

/** The reason in a column if it is a limit, for which a slot can be granted. Null for any other. */
export function limitOf(column: string): Sql<string | null> {
  const reason = sql.ref(column);
  return sql`case when split_part(${reason}, ':', 1) in ('job', 'key', 'rate', 'queue', 'queue_rate') then ${reason} end`;
}

/**
 * Columns of a queue row `q` whose reason no longer holds: it is claimable with a grant of the limit that it was blocked
 * on, or waits for its start time.
 */
export const UNBLOCKED = sql`blocked_on = case when q.run_at > clock() then 'not_due' end,
  granted_by = case when q.run_at <= clock() then ${limitOf("q.blocked_on")} end, released_at = clock()`;

/**
 * How many runs hold an unused slot of a limit, of its job or of any (null). Call it under the lock of the limit, which
 * grants and claims take.
 */
export async function countGranted(
  tx: Ctx & InTransaction,
  project_id: string,
  key: string,
  job_id: string | null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    /* prepared */
    select count(*)::int as count from run_queue q
    where q.project_id = ${project_id} ${job_id === null ? sql`` : sql`and q.job_id = ${job_id}`} and q.granted_by is not null and q.lease_until is null
      and (q.granted_by = ${key} and q.blocked_on is null or ${key} = any(q.kept))`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/**
 * Releases concurrency slots and unblocks as many runs, in the transaction in which the holders leave `running`.
 * Pipelined: blocked runs are read after the counters are locked, and a claim that blocks a run holds the same locks.
 * Everything is sent before the first result, so that a caller may send its commit at once.
 */
export async function releaseSlots(
  tx: Ctx & InTransaction,
  project_id: string,
  slots: readonly string[],
): Promise<void> {
  if (slots.length === 0) return;
  const released = new Map<string, number>();
  for (const key of slots) released.set(key, (released.get(key) ?? 0) + 1);
  await Promise.all([lowerCounters(tx, project_id, released), unblockNext(tx, project_id, released)]);
}

async function lowerCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  released: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    /* prepared */
    with locked as materialized (
      select g.key, g.count
      from (
        select * from unnest(${[...released.keys()]}::text[], ${[...released.values()]}::int[]) as g(key, count)
        where ${fewRows("g.key")} order by g.key
      ) g,
      lateral (
        select 1 from concurrency_counters c where c.project_id = ${project_id} and c.key = g.key for update
      ) c
    )
    update concurrency_counters c set active = greatest(0, c.active - l.count)
    from locked l
    where c.project_id = ${project_id} and c.key = any(array(select key from locked)) and c.key = l.key`.execute(tx.db);
}

/** The columns of a queue row that say which slots the run was granted, and which limits it is about to request. */
export type Granted = {
  job_id: string;
  concurrency_key: string | null;
  granted_by: string | null;
  kept: string[] | null;
  limits: string[] | null;
};

type Leaving = { project_id: string; queued: Granted | null };

/**
 * Runs that leave the queue before they were claimed release their grants. Other runs may have been blocked behind them
 * under every limit they were about to request: the next waiter of each is woken; a surplus one is only blocked again.
 * Holds the locks of the limits, as decisions do: a run that is blocked behind one of these is either seen here, or
 * decided after they have left.
 */
export async function wakeNext(tx: Ctx & InTransaction, runs: readonly Leaving[]): Promise<void> {
  const leaving = runs.flatMap(({ queued }) => (queued?.granted_by ? [queued] : []));
  const [first] = runs;
  if (!first || leaving.length === 0) return;
  const queues = await readQueues(tx, first.project_id, leaving);
  const counts = new Map<string, number>();
  for (const queued of leaving) {
    const { granted_by, kept, limits, job_id } = queued;
    const common = commonLimits({ ...queued, queue: queues.get(job_id) ?? DEFAULT_QUEUE });
    for (const key of new Set([granted_by ?? "", ...(kept ?? []), ...(limits ?? []), ...common]))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  await lockLimits(tx, first.project_id, [...counts.keys()]);
  await unblockNext(tx, first.project_id, counts);
}

async function readQueues(tx: Ctx, project_id: string, leaving: readonly Granted[]): Promise<Map<string, string>> {
  const job_ids = [...new Set(leaving.map(({ job_id }) => job_id))];
  const { rows } = await sql<{ id: string; queue: string }>`
    select id, queue from jobs where project_id = ${project_id} and id = any(${job_ids}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ id, queue }) => [id, queue]));
}

/**
 * The same after the caller's commit: for a caller that locks runs afterwards. Not awaited: if it fails, the
 * reconciliation of the queue wakes them.
 */
export const wakeNextSoon = collectForCommit<Leaving>((ctx, runs) => {
  for (const some of groupBy(runs, (run) => run.project_id).values())
    void inTransaction(ctx, (tx) => wakeNext(tx, some)).catch(() => {});
});

async function lockLimits(tx: Ctx & InTransaction, project_id: string, keys: string[]): Promise<void> {
  await sql`
    select 1 from concurrency_counters where project_id = ${project_id} and key = any(${keys}::text[])
    order by key for update`.execute(tx.db);
  await sql`
    select 1 from rate_windows where project_id = ${project_id} and key = any(${keys}::text[])
    order by key for update`.execute(tx.db);
}

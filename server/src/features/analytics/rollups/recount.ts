import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { NIL_ID } from "../reports/series.ts";
import { inChunks } from "./in-chunks.ts";
import { setMinutes } from "./set-minutes.ts";
import { sketchOf } from "./sketch.ts";
import { type Tallies, tally } from "./tallies.ts";

type Recount = {
  /** The name of its cursor in `log_cursors`. */
  name: string;
  series: "events" | "webhooks";
  /** How long rows may still change after all transactions have ended. */
  open_secs: number;
  /** Whether counts may decrease. If not, rows that are no longer found were removed, and their counts stay. */
  canFall: boolean;
  /** Counts everything from this time on. */
  count: (tx: Ctx & InTransaction, from: string) => Promise<Tallies>;
};

/** For writes of a transaction that `pg_stat_activity` shows slightly late. */
const SPARE_SECS = 5;
/** So a reader that stays open for hours does not make every pass recount hours. */
const MAX_TRANSACTION_SECS = 3_600;

/**
 * One pass over tables that have no log: it recounts the minutes that may still change and replaces their counts, so
 * failures never count anything twice. A minute is final once no open transaction began in it: later commits have later
 * times.
 */
async function recount(ctx: Ctx, { name, series, open_secs, canFall, count }: Recount): Promise<void> {
  // Read before the counting snapshot: a transaction that begins later has a later time.
  const { rows } = await sql<{ horizon_at: string }>`
    select date_trunc('minute', clock() - interval '1 second' * (${open_secs + SPARE_SECS} + least(${MAX_TRANSACTION_SECS}, coalesce((
      select extract(epoch from max(statement_timestamp() - a.xact_start)) from pg_stat_activity a
      where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()), 0))))::text
      as horizon_at`.execute(ctx.db);
  const horizon_at = rows[0]?.horizon_at;
  if (horizon_at === undefined) return;
  await inTransaction(ctx, async (tx) => {
    const from = await lockCursor(tx, name);
    if (from === undefined) return;
    await setMinutes(tx, { series, from, found: await count(tx, from), canFall });
    await sql`
      update log_cursors set counted_to = greatest(counted_to, ${horizon_at}::timestamptz), updated_at = clock()
      where consumer = ${name}`.execute(tx.db);
  });
}

/**
 * Undefined: another instance holds the lock. A new cursor starts with the last hour: counting a whole table takes too
 * long.
 */
async function lockCursor(tx: Ctx & InTransaction, name: string): Promise<string | undefined> {
  await sql`
    insert into log_cursors (consumer, position, counted_to, updated_at)
    values (${name}, 0, date_trunc('minute', clock() - interval '1 hour'), clock())
    on conflict do nothing`.execute(tx.db);
  const { rows } = await sql<{ counted_to: string }>`
    select counted_to from log_cursors where consumer = ${name} for update skip locked`.execute(tx.db);
  return rows[0]?.counted_to;
}

type Counted = {
  project_id: string;
  environment_id: string;
  job_id: string | null;
  name: "created" | "received" | "timed_out" | "canceled" | "dispatched" | "rejected";
  minute: string;
  count: number;
};

/**
 * Waits for events and approvals, as they begin and end, and events received by sources. Counters only grow; purged
 * rows stay counted. After a purge, new rows in the same minute count only where they exceed the stored count.
 */
export async function recountEvents(ctx: Ctx): Promise<boolean> {
  await recount(ctx, { name: "recount-events", series: "events", open_secs: 0, canFall: false, count: countEvents });
  return false;
}

/** Beginnings are found by the order of the table, ends by a separate index. */
async function countEvents(tx: Ctx & InTransaction, from: string): Promise<Tallies> {
  const { rows } = await sql<Counted>`
    with found as (
      select t.project_id, t.environment_id, t.job_run_id, 'created' as name, t.created_at as at
      from event_triggers t where t.created_at >= ${from} and t.wait_kind in ('event', 'approval')
      union all
      select t.project_id, t.environment_id, t.job_run_id, t.status, t.finished_at
      from event_triggers t
      where t.finished_at >= ${from} and t.status <> 'waiting' and t.wait_kind in ('event', 'approval')
      union all
      select e.project_id, ${NIL_ID}::uuid, null, e.status, e.created_at
      from source_events e where e.created_at >= ${from}
    )
    select t.project_id, t.environment_id, r.job_id, t.name, date_trunc('minute', t.at) as minute, count(*)::int as count
    from found t
    left join lateral (
      select r.job_id from runs r where r.project_id = t.project_id and r.id = t.job_run_id offset 0
    ) r on true
    group by 1, 2, 3, 4, 5`.execute(tx.db);
  const tallies: Tallies = new Map();
  for (const { project_id, environment_id, job_id, name, minute, count } of rows) {
    const rollup = { project_id, series: "events", at_ms: Date.parse(minute), environment_id } as const;
    const amounts = { counts: { [name]: count } };
    tally(tallies, { ...rollup, split: "all", subject_id: NIL_ID }, amounts);
    if (job_id !== null) tally(tallies, { ...rollup, split: "job", subject_id: job_id }, amounts);
  }
  return tallies;
}

/** An attempt in flight ends within this time, or is lost. */
const OPEN_SECS = 120;

/** Rows counted without yielding to the event loop. */
const CHUNK = 2_000;

/** Attempts that are equal in every counted column. */
type Attempts = {
  project_id: string;
  environment_id: string | null;
  subscription_id: string | null;
  host: string;
  outcome: "delivered" | "refused" | "retryable" | "lost";
  duration_ms: number | null;
  minute: string;
  count: number;
};

/** Attempts to deliver webhooks, by receiver and start time. An attempt that seemed lost may still be reported. */
export async function recountWebhooks(ctx: Ctx): Promise<boolean> {
  const name = "recount-webhooks";
  await recount(ctx, { name, series: "webhooks", open_secs: OPEN_SECS, canFall: true, count: countAttempts });
  return false;
}

/**
 * A receiver is a subscription, or the host of the URLs that waits registered, because there are as many URLs as waits.
 * A released attempt is not counted.
 */
async function countAttempts(tx: Ctx & InTransaction, from: string): Promise<Tallies> {
  const { rows } = await sql<Attempts>`
    select p.id as project_id, a.environment_id, a.subscription_id, a.host, a.outcome, a.duration_ms,
      date_trunc('minute', a.started_at) as minute, count(*)::int as count
    from projects p cross join lateral (
      select d.environment_id, d.subscription_id, d.host, coalesce(a.outcome, 'lost') as outcome, a.duration_ms, a.started_at
      from webhook_attempts a cross join lateral (
        select d.environment_id, d.subscription_id, d.host from webhook_deliveries d
        where d.project_id = a.project_id and d.id = a.delivery_id offset 0
      ) d
      where a.project_id = p.id and a.started_at >= ${from}
        and (a.outcome <> 'aborted' or a.outcome is null and a.started_at < clock() - ${OPEN_SECS} * interval '1 second')
      offset 0
    ) a
    group by 1, 2, 3, 4, 5, 6, 7`.execute(tx.db);
  const tallies: Tallies = new Map();
  await inChunks(rows, CHUNK, (attempts) => tallyAttempts(tallies, attempts));
  return tallies;
}

function tallyAttempts(tallies: Tallies, attempts: Attempts): void {
  const { project_id, subscription_id, host, outcome, duration_ms, minute, environment_id, count } = attempts;
  const rollup = {
    project_id,
    series: "webhooks",
    split: "endpoint",
    at_ms: Date.parse(minute),
    ...{ subject_id: subscription_id ?? NIL_ID, environment_id: environment_id ?? NIL_ID },
    part: subscription_id === null ? host : "",
  } as const;
  const counts = { attempts: count, [outcome]: count, duration_ms: (duration_ms ?? 0) * count };
  tally(tallies, rollup, { counts, sketch: sketchOf(duration_ms ?? undefined, count) });
}

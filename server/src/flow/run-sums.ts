import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { createdByKind } from "./created-by-kind.ts";
import { firstClaim, priceOfDispatch, rateThen } from "./dispatch-cost.ts";

/**
 * Changes of runs that are alike: same job, outcome, minute and cost groups. Most of a busy second are, so the database
 * returns some rows instead of some thousand.
 */
export type RunSum = {
  project_id: string;
  job_id: string;
  job_version_id: string;
  environment_id: string;
  trigger_type: string;
  from_status: string | null;
  to_status: string;
  cause: string;
  /** The minute in which they happened, and for dispatches that in which they began. */
  at_s: number;
  began_s: number | null;
  count: number;
  /** Ends of runs: milliseconds since the start of each, and before it, as `float8send` writes them. */
  took_ms: Buffer | null;
  waited_ms: Buffer | null;
  /** Ends of dispatches: what groups their costs, and the costs. */
  tags: Record<string, string> | null;
  concurrency_key: string | null;
  created_by: string | null;
  workflow_id: string | null;
  schedule_id: string | null;
  wall_ms: number;
  longest_ms: number;
  compute_microusd: number;
  reported_microusd: number;
  /** The part of their time in the minute in which they began, and in the one in which they ended. */
  first_ms: number;
  last_ms: number;
  /** The first of the runs, by which sums are sorted. */
  earliest: string;
};

export const ENDS = sql`('completed', 'failed', 'timed_out', 'canceled')`;
const IS_END = sql`p.to_status in ${ENDS}`;
const IS_DISPATCH = sql`p.from_status = 'running'`;

/** Of the log `l`: creations of runs, ends of dispatches, ends of runs. */
export const SUMMED = sql`(l.from_status is null or l.from_status = 'running' or l.to_status in ${ENDS})`;

/** Sums up a log or a part of it. */
export async function readRunSums(tx: Ctx & InTransaction, log: RawBuilder<unknown>): Promise<RunSum[]> {
  const { rows } = await sql<RunSum>`with ${pricedChanges(log)} ${selectRunSums()}`.execute(tx.db);
  return rows;
}

/**
 * The changes of the log `l` with their runs and prices, as `priced`: every sum comes from this one reading. A change
 * whose run was deleted has no job. What only a few projects have is looked up once per project: rates that changed,
 * and reported usage.
 */
export function pricedChanges(log: RawBuilder<unknown>, position: RawBuilder<unknown> = sql`0`): RawBuilder<unknown> {
  return sql`
    summed as materialized (
      select l.project_id, l.run_id, l.ordinal, l.from_status, l.to_status, l.cause, l.attempt, ${position} as position,
        l.created_at as ended_at
      from ${log} where ${SUMMED}
    ),
    owners as materialized (
      select s.project_id, coalesce(p.rate, 0) as rate,
        exists (select 1 from compute_rate_changes h where h.project_id = s.project_id) as has_rate_changes,
        exists (select 1 from run_usage u where u.project_id = s.project_id) as has_usage
      from (select distinct project_id from summed) s left join lateral (
        select p.compute_rate_microusd_per_sec as rate from projects p where p.id = s.project_id offset 0
      ) p on true
    ),
    priced as materialized (
      select t.*, r.*, w.workflow_id, d.wall_ms, d.compute_microusd, u.reported_microusd, o.has_usage
      from summed t join owners o on o.project_id = t.project_id
      left join lateral (
        select r.job_id, r.job_version_id, r.environment_id, r.trigger_type, r.tags, r.concurrency_key, r.schedule_id,
          r.workflow_run_id, r.created_by, r.created_at, r.scheduled_at, r.started_at, r.cost_microusd
        from runs r where r.project_id = t.project_id and r.id = t.run_id offset 0
      ) r on true
      left join lateral (
        select w.workflow_id from workflow_runs w
        where r.workflow_run_id is not null and w.project_id = t.project_id and w.id = r.workflow_run_id offset 0
      ) w on true
      left join lateral (
        select took.wall_ms, price.compute_microusd from (select 1 where t.from_status = 'running') dispatch
        ${priceOfDispatch({ claimedAt: firstClaim(sql`t.attempt`), rate: RATE })}
      ) d on true
      left join lateral (
        select coalesce(sum(u.cost_microusd), 0) as reported_microusd from run_usage u
        where o.has_usage and t.from_status = 'running'
          and u.project_id = t.project_id and u.run_id = t.run_id and u.attempt = t.attempt offset 0
      ) u on true
    )`;
}

const RATE = sql`case when o.has_rate_changes then ${rateThen()} else o.rate end`;

/** Groups `priced`. Usage is reported under the lease of its attempt, so it is complete when the attempt ends. */
export function selectRunSums(): RawBuilder<unknown> {
  return sql`
    select p.project_id, p.job_id, p.job_version_id, p.environment_id, p.trigger_type, p.from_status, p.to_status,
      p.cause, ${minuteOf(sql`p.ended_at`)} as at_s, ${ofDispatch(minuteOf(BEGAN_AT))} as began_s,
      ${ofDispatch(sql`p.tags`)} as tags, ${ofDispatch(sql`p.concurrency_key`)} as concurrency_key,
      ${ofDispatch(createdByKind(sql`p.created_by`))} as created_by, ${ofDispatch(sql`p.workflow_id`)} as workflow_id,
      ${ofDispatch(sql`p.schedule_id`)} as schedule_id, count(*) as count,
      string_agg(float8send(${TOOK_MS}), '') filter (where ${IS_END} and p.started_at is not null) as took_ms,
      string_agg(float8send(${WAITED_MS}), '') filter (where ${IS_END} and p.attempt = 1 and p.started_at is not null)
        as waited_ms,
      ${exact(sql`coalesce(sum(p.wall_ms), 0)`)} as wall_ms, coalesce(max(p.wall_ms), 0) as longest_ms,
      ${exact(sql`coalesce(sum(p.compute_microusd), 0)`)} as compute_microusd,
      ${exact(sql`coalesce(sum(p.reported_microusd), 0)`)} as reported_microusd,
      coalesce(sum(60000 - mod(${msOf(BEGAN_AT)}, 60000)), 0)::bigint as first_ms,
      coalesce(sum(mod(${msOf(sql`p.ended_at`)}, 60000)), 0)::bigint as last_ms, min(p.run_id::text) as earliest
    from priced p group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    order by earliest`;
}

const BEGAN_AT = sql`(p.ended_at - p.wall_ms * interval '1 millisecond')`;
const TOOK_MS = msBetween(sql`p.started_at`, sql`p.ended_at`);
const WAITED_MS = msBetween(sql`greatest(p.created_at, p.scheduled_at)`, sql`p.started_at`);

function ofDispatch(value: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${IS_DISPATCH} then ${value} end`;
}

function minuteOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`floor(extract(epoch from ${time})::float8 / 60)::bigint * 60`;
}

function msOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(extract(epoch from ${time})::float8 * 1000)::bigint`;
}

function msBetween(from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(0, round(extract(epoch from ${to} - ${from})::float8 * 1000))::float8`;
}

/** The largest exact number: a larger sum would be rounded. */
function exact(sum: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`least(${sum}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

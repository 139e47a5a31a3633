import { isWithin, type Positions, runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { firstClaim, msBetween, priceOf, priceOfDispatch, rateThen } from "../runs/dispatch/dispatch-cost.ts";
import { ENDED } from "../runs/states.ts";

/**
 * Changes of runs that are uniform: same job, outcome, minute and cost groups. Most of those in a busy second are, so the
 * database returns a few rows instead of a few thousand.
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

export const ENDS = sql`(${sql.join(ENDED.map((status) => sql.lit(status)))})`;
const IS_DISPATCH = sql`p.from_status = 'running'`;

/** Of the log `l`: creations of runs, ends of dispatches, ends of runs. */
export const SUMMED = sql`(l.from_status is null or l.from_status = 'running' or l.to_status in ${ENDS})`;

/** Sums up a log or a part of it. */
export async function readRunSums(tx: Ctx & InTransaction, log: Sql): Promise<RunSum[]> {
  const { rows } = await sql<RunSum>`with ${pricedChanges(log)} ${selectRunSums()}`.execute(tx.db);
  return rows;
}

/** The sums of a log other than the changelog. */
function pricedChanges(log: Sql): Sql {
  return sql`
    ${summedOf(log, sql`0`)}, ${ownersOf(sql`summed`)}, priced as materialized (${joinedWithRuns()}),
    created as (select * from priced where false)`;
}

/**
 * The changes of runs in a range with their prices, as `priced`: every sum comes from this one reading. For changes
 * that are uniform, one run of their row is looked up, and its ends are summed up before anything else; of the others,
 * each run is looked up, and each change is a row. A change whose run was deleted has no job. Creations that are
 * uniform are counted by row, as `created`.
 */
export function pricedRange(range: Positions): Sql {
  return sql`
    ${summedOf(runChanges(range, sql`not c.is_uniform`), sql`l.position`)},
    uniform as materialized (
      select c.project_id, c.position, c.created_at as ended_at, c.ids, c.from_statuses, c.to_statuses, c.causes,
        c.wall_ms, c.waited_ms, r.*
      from changelog c left join lateral (
        ${sharedColumns(sql`= c.ids[1]`)} union all ${sharedColumns(sql`= any(c.ids)`)} limit 1
      ) r on true
      where ${isWithin(range)} and c.kind = 'run' and c.is_uniform
    ),
    ${ownersOf(sql`(select project_id from summed union all select project_id from uniform) p`)},
    priced as materialized (
      ${joinedWithRuns()}
      union all
      ${sumsOfUniform()}
    ),
    created as (
      select a.*, cardinality(array_positions(a.from_statuses, null)) as count from uniform a where a.wall_ms is null
    )`;
}

/** What a run of a uniform row has in common with the others. Looking for all of them costs more: the first may be gone. */
function sharedColumns(isOneOf: Sql): Sql {
  return sql`(select r.job_id, r.job_version_id, r.environment_id, r.trigger_type, r.created_by, r.schedule_id from runs r
    where r.project_id = c.project_id and r.id ${isOneOf} limit 1)`;
}

function summedOf(log: Sql, position: Sql): Sql {
  return sql`summed as materialized (
    select l.project_id, l.run_id, l.ordinal, l.from_status, l.to_status, l.cause, l.attempt, ${position} as position,
      l.created_at as ended_at
    from ${log} where ${SUMMED}
  )`;
}

/** What only a few projects have is looked up once per project: rates that changed, and reported usage. */
function ownersOf(rows: Sql): Sql {
  return sql`owners as materialized (
    select s.project_id, coalesce(p.rate, 0) as rate,
      exists (select 1 from compute_rate_changes h where h.project_id = s.project_id) as has_rate_changes,
      exists (select 1 from run_usage u where u.project_id = s.project_id) as has_usage
    from (select distinct project_id from ${rows}) s left join lateral (
      select p.compute_rate_microusd_per_sec as rate from projects p where p.id = s.project_id offset 0
    ) p on true
  )`;
}

function joinedWithRuns(): Sql {
  return sql`
    select t.project_id, array[t.run_id] as run_ids, t.run_id::text as earliest, t.from_status, t.to_status, t.cause,
      t.attempt, t.position, t.ended_at, r.job_id, r.job_version_id, r.environment_id, r.trigger_type, r.tags,
      r.concurrency_key, r.schedule_id, r.created_by, r.cost_microusd, w.workflow_id, o.has_usage, 1::bigint as count,
      ${beganAt(msOf(sql`t.ended_at`), sql`took.wall_ms`)} as began_s, took.wall_ms, took.wall_ms as longest_ms,
      ${inFirstMinute(msOf(sql`t.ended_at`), sql`took.wall_ms`)} as first_ms, array[price.compute_microusd] as computes,
      price.compute_microusd, u.reported_microusd,
      case when ${ENDS_STARTED} then float8send(${msBetween(sql`r.started_at`, sql`t.ended_at`)}) end as took_ms,
      case when ${ENDS_STARTED} and t.attempt = 1
        then float8send(${msBetween(sql`greatest(r.created_at, r.scheduled_at)`, sql`r.started_at`)}) end as waited_ms
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
    ${priceOfDispatch({ claimedAt: CLAIMED_AT, rate: RATE })}
    ${reportedBy(sql`array[t.run_id]`, sql`o.has_usage`)}`;
}

/** A row for the ends of a changelog row with the same outcome that began in the same minute: most often one. */
function sumsOfUniform(): Sql {
  return sql`
    select t.project_id, s.run_ids, s.earliest, 'running', s.to_status, s.cause, t.attempt, t.position, t.ended_at,
      t.job_id, t.job_version_id, t.environment_id, t.trigger_type, '{}', null, t.schedule_id, t.created_by, 0, null,
      t.has_usage, s.count, s.began_s, s.wall_ms, s.longest_ms, s.first_ms, s.computes, s.compute_microusd,
      u.reported_microusd, s.took_ms, s.waited_ms
    from (
      select t.*, ${msOf(sql`t.ended_at`)} as ended_ms, 1 as attempt, o.has_usage, ${RATE} as rate
      from uniform t join owners o on o.project_id = t.project_id
      where t.wall_ms is not null offset 0
    ) t
    cross join lateral (
      select array_agg(e.run_id) as run_ids, min(e.run_id::text) as earliest, e.to_status, e.cause, count(*) as count,
        ${beganAt(ENDED_MS, sql`e.wall_ms`)} as began_s, sum(e.wall_ms) as wall_ms, max(e.wall_ms) as longest_ms,
        sum(${inFirstMinute(ENDED_MS, sql`e.wall_ms`)}) as first_ms, array_agg(price.compute_microusd) as computes,
        sum(price.compute_microusd) as compute_microusd, string_agg(float8send(e.wall_ms), '') as took_ms,
        string_agg(float8send(e.waited_ms), '') as waited_ms
      from unnest(t.ids, t.to_statuses, t.causes, t.wall_ms, t.waited_ms) as e(run_id, to_status, cause, wall_ms, waited_ms)
      ${priceOf(sql`e.wall_ms`, sql`t.rate`)}
      group by e.to_status, e.cause, ${beganAt(ENDED_MS, sql`e.wall_ms`)}
    ) s
    ${reportedBy(sql`s.run_ids`, sql`t.has_usage`)}`;
}

const ENDED_MS = sql`t.ended_ms`;

/** The minute in which a dispatch began, and how much of that minute was left. */
function beganAt(ended_ms: Sql, wall_ms: Sql): Sql {
  return sql`((${ended_ms} - ${wall_ms}) / 60000 * 60)`;
}

function inFirstMinute(ended_ms: Sql, wall_ms: Sql): Sql {
  return sql`(60000 - mod(${ended_ms} - ${wall_ms}, 60000))`;
}

/** The end of a run that has started. */
const ENDS_STARTED = sql`t.to_status in ${ENDS} and r.started_at is not null`;

/** Usage is reported under the lease of its attempt, so it is complete when the attempt ends. */
function reportedBy(run_ids: Sql, has_usage: Sql): Sql {
  return sql`
    left join lateral (
      select sum(u.cost_microusd) as reported_microusd from run_usage u
      where ${has_usage} and u.project_id = t.project_id and u.run_id = any(${run_ids}) and u.attempt = t.attempt offset 0
    ) u on true`;
}

/** Changes that end no dispatch take no time: without the first case, a claim would be looked up for them. */
const CLAIMED_AT = sql`case when t.from_status is distinct from 'running' then t.ended_at
  else ${firstClaim(sql`t.attempt`)} end`;
const RATE = sql`case when o.has_rate_changes then ${rateThen()} else o.rate end`;

/** Groups `priced` and `created`. */
export function selectRunSums(): Sql {
  return sql`
    select p.project_id, p.job_id, p.job_version_id, p.environment_id, p.trigger_type, p.from_status, p.to_status,
      p.cause, ${minuteOf(sql`p.ended_at`)} as at_s, ${ofDispatch(sql`p.began_s`)} as began_s,
      ${ofDispatch(sql`p.tags`)} as tags, ${ofDispatch(sql`p.concurrency_key`)} as concurrency_key,
      ${ofDispatch(createdByKind(sql`p.created_by`))} as created_by, ${ofDispatch(sql`p.workflow_id`)} as workflow_id,
      ${ofDispatch(sql`p.schedule_id`)} as schedule_id, sum(p.count)::bigint as count,
      string_agg(p.took_ms, '') as took_ms, string_agg(p.waited_ms, '') as waited_ms,
      ${exact(sql`sum(p.wall_ms)`)} as wall_ms, max(p.longest_ms) as longest_ms,
      ${exact(sql`sum(p.compute_microusd)`)} as compute_microusd,
      ${exact(sql`coalesce(sum(p.reported_microusd), 0)`)} as reported_microusd,
      sum(p.first_ms)::bigint as first_ms, sum(p.count * mod(${msOf(sql`p.ended_at`)}, 60000))::bigint as last_ms,
      min(p.earliest) as earliest
    from priced p group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    union all
    select c.project_id, c.job_id, c.job_version_id, c.environment_id, c.trigger_type, null, 'pending', 'created',
      ${minuteOf(sql`c.ended_at`)} as at_s, null, null, null, null, null, null, sum(c.count)::bigint, null, null, 0, 0, 0, 0, 0, 0, ''
    from created c group by 1, 2, 3, 4, 5, 9 having sum(c.count) > 0
    order by earliest`;
}

function ofDispatch(value: Sql): Sql {
  return sql`case when ${IS_DISPATCH} then ${value} end`;
}

function minuteOf(time: Sql): Sql {
  return sql`floor(extract(epoch from ${time})::float8 / 60)::bigint * 60`;
}

function msOf(time: Sql): Sql {
  return sql`round(extract(epoch from ${time})::float8 * 1000)::bigint`;
}

/** The largest exact number: a larger sum would be rounded. */
function exact(sum: Sql): Sql {
  return sql`least(${sum}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

const ID_LENGTH = 36;

/**
 * Who created a run, for cost groups: runs created by a run, a workflow run or an event are grouped by that kind, because
 * there are as many such ids as runs. It compares length and prefix because a regular expression took 50 µs per run.
 */
export function createdByKind(created_by: Sql): Sql {
  const kinds = ["run", "workflow_run", "event"].map((kind) => {
    const length = kind.length + 1 + ID_LENGTH;
    return sql`when length(${created_by}) = ${sql.lit(length)} and starts_with(${created_by}, ${sql.lit(`${kind}:`)}) then ${sql.lit(kind)}`;
  });
  return sql`case ${sql.join(kinds, sql` `)} else ${created_by} end`;
}

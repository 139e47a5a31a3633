import { WORKER_GONE_SECS } from "@millrace/contract/workers/workers";
import { sql } from "../../../platform/database/sql.ts";
import { MAX_COUNTED, MAX_LANES, type StatePart } from "./state-part.ts";

/** Jobs with series of their own. The rest of a long list is one line of a dashboard. */
const MAX_BACKLOG_JOBS = 50;

const READY = sql`q.lease_until is null and q.blocked_on is null and q.stopped is null`;
/** What is not due is no backlog. */
const BLOCKED = sql`q.blocked_on is not null and q.blocked_on <> 'not_due'`;

/**
 * Due runs by job. No index leads with the job, so the runs of each lane, and the blocked ones of each project, are read
 * in the order of the queue: an equal share of at most `MAX_COUNTED` from each, so that a long queue hides no other.
 */
export const backlogState: StatePart = {
  tables: sql`
    ready_lanes as (
      select n.*, 1 as nth from (
        select q.project_id, q.host from run_queue q where ${READY} order by q.project_id, q.host, q.rank_at limit 1
      ) n
      union all
      select n.*, l.nth + 1 from ready_lanes l, lateral (
        select q.project_id, q.host from run_queue q
        where ${READY} and (q.project_id, q.host) > (l.project_id, l.host)
        order by q.project_id, q.host, q.rank_at limit 1
      ) n where l.nth < ${sql.lit(MAX_LANES)}
    ),
    blocked_projects as (
      select n.*, 1 as nth from (
        select q.project_id from run_queue q where ${BLOCKED} order by q.project_id, q.blocked_on limit 1
      ) n
      union all
      select n.*, p.nth + 1 from blocked_projects p, lateral (
        select q.project_id from run_queue q where ${BLOCKED} and q.project_id > p.project_id
        order by q.project_id, q.blocked_on limit 1
      ) n where p.nth < ${sql.lit(MAX_LANES)}
    ),
    backlog as materialized (
      select q.project_id, q.job_id, 'ready' as state, count(*) as runs, min(q.run_at) as oldest_at
      from ready_lanes l cross join lateral (
        select q.project_id, q.job_id, q.run_at from run_queue q
        where ${READY} and (q.project_id, q.host) >= (l.project_id, l.host) and (q.project_id, q.host) <= (l.project_id, l.host)
        order by q.project_id, q.host, q.rank_at
        limit (select ${sql.lit(MAX_COUNTED)} / greatest(count(*), 1) from ready_lanes)
      ) q group by 1, 2
      union all
      select q.project_id, q.job_id, 'blocked', count(*), min(q.run_at)
      from blocked_projects p cross join lateral (
        select q.project_id, q.job_id, q.run_at from run_queue q
        where ${BLOCKED} and q.project_id >= p.project_id and q.project_id <= p.project_id
        order by q.project_id, q.blocked_on, q.rank_at
        limit (select ${sql.lit(MAX_COUNTED)} / greatest(count(*), 1) from blocked_projects)
      ) q group by 1, 2
    ),
    longest as materialized (
      select b.project_id, b.job_id from backlog b group by 1, 2
      order by sum(b.runs) desc, b.job_id limit ${sql.lit(MAX_BACKLOG_JOBS)}
    ),
    named as materialized (
      select t.project_id, t.job_id, n.project, n.job, n.queue from longest t cross join lateral (
        select p.slug as project, j.slug as job, j.queue from jobs j join projects p on p.id = j.project_id
        where j.project_id = t.project_id and j.id = t.job_id offset 0
      ) n
    ),
    backlog_lines as materialized (
      select coalesce(n.project, 'other') as project, coalesce(n.job, 'other') as job, b.state, sum(b.runs) as runs,
        greatest(extract(epoch from clock() - min(b.oldest_at)), 0) as age
      from backlog b left join named n on n.project_id = b.project_id and n.job_id = b.job_id group by 1, 2, 3
    ),
    queue_lines as materialized (
      select coalesce(n.project, 'other') as project, coalesce(n.queue, 'other') as queue, sum(b.runs) as runs,
        greatest(extract(epoch from clock() - min(b.oldest_at)), 0) as age
      from backlog b left join named n on n.project_id = b.project_id and n.job_id = b.job_id group by 1, 2
    )`,
  rows: sql`
    select 'backlog_runs' as figure, jsonb_build_object('project', project, 'job', job, 'state', state) as labels,
      runs::float8 as value from backlog_lines
    union all
    select 'backlog_oldest_seconds', jsonb_build_object('project', project, 'job', job, 'state', state), age::float8
    from backlog_lines
    union all
    select 'queue_depth', jsonb_build_object('project', project, 'queue', queue), runs::float8 from queue_lines
    union all
    select 'queue_oldest_seconds', jsonb_build_object('project', project, 'queue', queue), age::float8 from queue_lines
    union all
    select 'endpoints_down', jsonb_build_object('cause', k.cause), (
      select count(c.project_id) from circuits c where c.status = 'open' and c.cause = k.cause)::float8
    from (values ('failing'), ('unreachable')) as k(cause)
    union all
    select 'workers', '{}', (
      select count(w.project_id) from workers w
      where w.last_seen_at > clock() - ${sql.lit(WORKER_GONE_SECS)} * interval '1 second')::float8`,
};

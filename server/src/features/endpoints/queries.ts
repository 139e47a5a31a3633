import type { Endpoint, ListEndpointsQuery } from "@millrace/contract/jobs/endpoints";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { Page } from "../../platform/listing/page.ts";

type EndpointRow = Endpoint & { id: string; created_at: string };

const MAX_WAITING = 10_000;
/** How many jobs of a host, and how many of the newest runs of each, its latency is computed from. */
const MEASURED_JOBS = 5;
const MEASURED_RUNS = 100;

/**
 * The hosts of the current versions of jobs that the caller may see, and those that only queued runs of older versions
 * wait for.
 */
export async function listEndpoints(
  ctx: ProjectCtx,
  page: Page,
  state: ListEndpointsQuery["state"],
): Promise<EndpointRow[]> {
  const { rows } = await sql<EndpointRow>`
    with of_jobs as materialized (
      select v.host, j.id as job_id from jobs j
      join job_versions v on v.project_id = j.project_id and v.id = j.version_id
      where j.project_id = ${ctx.project_id} and j.deleted_at is null and v.endpoint_url is not null
        and ${visible(ctx, "jobs", "j")}
    ),
    hosts as (
      select host, count(job_id)::int as jobs from (
        select host, job_id from of_jobs
        union all
        select c.host, null from circuits c
        where c.project_id = ${ctx.project_id} and c.down_since is not null and exists (
          select 1 from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
          where q.project_id = ${ctx.project_id} and q.host = c.host and q.unreachable_until is not null
            and ${visible(ctx, "runs", "r")})
      ) h group by host
    ),
    states as (
      select h.host, h.jobs, c.reason, case when c.status = 'open' then c.probe_at end as next_probe_at,
        case when c.status = 'open' and c.cause = 'failing' then c.opened_at else c.down_since end as down_since,
        case when c.status = 'open' and c.cause = 'failing' then 'failing'
          when c.status = 'open' and c.good_probes > 0 then 'recovering'
          when c.down_since is not null then 'unreachable'
          when c.answered_at is not null then 'up' else 'unknown' end as state
      from hosts h left join circuits c on c.project_id = ${ctx.project_id} and c.host = h.host
    ),
    page as materialized (
      select e.* from states e
      where (${state ?? null}::text is null or e.state = ${state ?? null}) ${page.after}
      ${page.orderBy} limit ${page.limit + 1}
    )
    select e.host as id, '' as created_at, e.host, e.state, e.down_since, e.next_probe_at, e.reason as last_error, e.jobs,
      w.count as waiting_runs, case when l.responses > 0 then jsonb_build_object('p50', round(l.of[1])::int, 'p95', round(l.of[2])::int,
        'responses', l.responses) end as latency_ms
    from page e, lateral (
      select count(*)::int from (
        (select 1 from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
          where q.project_id = ${ctx.project_id} and q.blocked_on = 'circuit:' || e.host and q.blocked_on is not null
            and q.blocked_on <> 'not_due' and ${visible(ctx, "runs", "r")} limit ${MAX_WAITING})
        union all
        (select 1 from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id
          where q.project_id = ${ctx.project_id} and q.host = e.host and q.unreachable_until is not null
            and q.blocked_on = 'not_due' and ${visible(ctx, "runs", "r")} limit ${MAX_WAITING})
        limit ${MAX_WAITING}
      ) q
    ) w, lateral (
      select count(*)::int as responses, percentile_cont(array[0.5, 0.95]) within group (order by r.end_duration_ms) as of
      from (select j.job_id from of_jobs j where j.host = e.host limit ${MEASURED_JOBS}) j, lateral (
        select r.end_duration_ms, r.end_http_status from runs r
        where r.project_id = ${ctx.project_id} and r.job_id = j.job_id order by r.created_at desc limit ${MEASURED_RUNS}
      ) r where r.end_http_status is not null
    ) l
    ${page.orderBy}`.execute(ctx.db);
  return rows;
}

import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Lane } from "./lanes.ts";

/** The host of a job version whose runs workers claim. No endpoint has it: a URL's host never ends with a colon. */
export const PULL_HOST = "pull:";

/**
 * Runs for workers queue per project, job and environment, so that a worker which serves one job of one environment
 * never walks another's backlog.
 */
export function laneHost(host: string, job_id: string, environment_id: string): string {
  return host === PULL_HOST ? pullLane(job_id, environment_id) : host;
}

function pullLane(job_id: string, environment_id: string): string {
  return `${PULL_HOST}${job_id}:${environment_id}`;
}

/** The same in SQL, of `runs r` and `job_versions v`. */
export const LANE_HOST = sql`case v.host when ${sql.lit(PULL_HOST)} then v.host || r.job_id || ':' || r.environment_id else v.host end`;

export function isPullLane(host: string): boolean {
  return host.startsWith(PULL_HOST);
}

/** Undefined: a lane of an endpoint. */
export function readPullLane(host: string): { job_id: string; environment_id: string } | undefined {
  const [, job_id, environment_id] = isPullLane(host) ? host.split(":") : [];
  return job_id && environment_id ? { job_id, environment_id } : undefined;
}

/**
 * The lanes of workers in these projects that have claimable runs, after a given one: a loose scan that touches one index
 * entry per lane. For the first claim in a project, and for lost wake-ups.
 */
export async function findPullLanes(
  ctx: Ctx,
  from: readonly { project_id: string; after: string }[],
  max: number,
): Promise<Lane[]> {
  const { rows } = await sql<Lane>`
    /* prepared */
    select l.* from unnest(
      ${from.map(({ project_id }) => project_id)}::uuid[], ${from.map(({ after }) => after)}::text[]
    ) as p(project_id, after), lateral (
      with recursive lanes as (
        (select q.project_id, q.host, q.rank_at, 1 as nth from run_queue q
          where q.project_id = p.project_id and q.lease_until is null and q.blocked_on is null and q.stopped is null
            and q.host > p.after and q.host < 'pull;'
          order by q.host, q.rank_at limit 1)
        union all
        select n.*, lanes.nth + 1 from lanes, lateral (
          select q.project_id, q.host, q.rank_at from run_queue q
          where q.project_id = p.project_id and q.lease_until is null and q.blocked_on is null and q.stopped is null
            and q.host > lanes.host and q.host < 'pull;'
          order by q.host, q.rank_at limit 1
        ) n where lanes.nth < ${max}
      )
      select project_id, host, rank_at from lanes
    ) l`.execute(ctx.db);
  return rows;
}

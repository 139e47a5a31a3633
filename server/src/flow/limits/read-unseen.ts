import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import type { Lane } from "../runs/claim/lanes.ts";
import { PULL_HOST } from "../runs/claim/pull-lanes.ts";
import type { Unseen } from "./admit-runs.ts";
import { type JobLimits, limitsOf, neededLimits, QUEUE_LIMITS } from "./job-limits.ts";

/** At most so many are read: a limit with more room than this is not scarce, and none of them matters for it. */
export const MAX_UNSEEN = 20;
/** A run of another lane that is unclaimed for longer holds up no other: that lane may not be served. */
const CLAIMED_WITHIN_SECS = 1;
/** Lanes, and rows of each, that are searched. Claims take a lane in order of rank: few rows precede those of a claim. */
const MAX_LANES = 64;
const MAX_ROWS = 200;

type DecidedRun = JobLimits & { run_id: string; host: string; rank_at: string };
type UnseenRow = JobLimits &
  Lane & {
    run_id: string;
    rank: number;
    since: number;
    is_near: boolean;
    concurrency_key: string | null;
    payload: unknown;
  };

/**
 * Claimable runs that precede the last of these in the queue, may need the same limits, and are not among them: no claim
 * has come to them yet, or another claim holds their rows. Read under the locks of the limits, without locking the rows.
 * Of the runs with grants, `lock-counters.ts` knows.
 */
export async function readUnseen(
  tx: Ctx & InTransaction,
  project_id: string,
  decided: readonly DecidedRun[],
): Promise<Unseen[]> {
  const last = decided.at(-1);
  if (!last) return [];
  const run_ids = decided.map(({ run_id }) => run_id);
  const hosts = [...new Set(decided.map(({ host }) => host))];
  const { rows } = await sql<UnseenRow>`
    with competing as materialized (${competingJobs(project_id, decided)}),
    lanes as materialized (
      select h as first_host, h as last_host from unnest(${hosts}::text[]) as h
      union
      (select ${laneOf(":")}, ${laneOf(";")} from competing c
        join job_versions v on v.project_id = ${project_id} and v.id = c.version_id limit ${MAX_LANES})
    ),
    unseen as materialized (
      select distinct q.* from lanes l, lateral (
        select q.run_id, q.job_id, q.host, q.rank_at, q.run_at, q.released_at, q.concurrency_key, q.granted_by from run_queue q
        where q.project_id = ${project_id} and q.host >= l.first_host and q.host <= l.last_host
          and q.lease_until is null and q.blocked_on is null and q.stopped is null and q.rank_at <= ${last.rank_at}
        order by q.host, q.rank_at, q.run_id limit ${MAX_ROWS}
      ) q
      where q.job_id in (select id from competing) and q.granted_by is null and q.run_id <> all(${run_ids}::uuid[])
        and (q.host = any(${hosts}::text[])
          or greatest(q.run_at, q.released_at) > clock() - ${CLAIMED_WITHIN_SECS}::int * interval '1 second')
      order by q.rank_at, q.run_id limit ${MAX_UNSEEN}
    )
    select ${project_id}::uuid as project_id, u.run_id, u.host, u.rank_at, u.concurrency_key, u.host = any(${hosts}::text[]) as is_near,
      (extract(epoch from u.rank_at) * 1000000)::float8 as rank,
      (extract(epoch from greatest(u.run_at, u.released_at)) * 1000000)::float8 as since, j.id as job_id,
      j.max_concurrency, j.max_concurrency_per_key, j.rate_limit_max, j.rate_limit_window_secs, j.rate_limit_keys, ${QUEUE_LIMITS},
      case when j.rate_limit_keys <> '[]' then
        (select r.payload from runs r where r.project_id = ${project_id} and r.id = u.run_id) end as payload
    from unseen u join jobs j on j.project_id = ${project_id} and j.id = u.job_id and j.paused_at is null
    left join queues k on k.project_id = j.project_id and k.name = j.queue and j.queue_needs_check
    order by u.rank_at, u.run_id`.execute(tx.db);
  const unseen: Unseen[] = [];
  for (const row of rows) {
    await yieldToEventLoop();
    const { run_id, rank, since, is_near, host, rank_at } = row;
    unseen.push({
      run_id,
      rank,
      since,
      needs: neededLimits(limitsOf(row, row)),
      lane: is_near ? { project_id, host, rank_at } : null,
    });
  }
  return unseen;
}

/** The jobs of these runs; under a limit of a queue, all jobs of the queue. */
function competingJobs(project_id: string, decided: readonly DecidedRun[]): Sql<unknown> {
  const job_ids = [...new Set(decided.map(({ job_id }) => job_id))];
  const limited = decided.filter((run) => run.queue_max_concurrency !== null || run.queue_rate_limit_max !== null);
  const queues = [...new Set(limited.map(({ queue }) => queue))];
  const ofJobs = sql`select id, version_id from jobs where project_id = ${project_id} and id = any(${job_ids}::uuid[])`;
  if (queues.length === 0) return ofJobs;
  return sql`${ofJobs} union
    select id, version_id from jobs where project_id = ${project_id} and queue = any(${queues}::text[]) and deleted_at is null`;
}

/** The lane of a job, or, for workers, the first or last name that a lane of the job in an environment could have. */
function laneOf(end: ":" | ";"): Sql<string> {
  return sql`case v.host when ${PULL_HOST} then v.host || c.id || ${end}::text else v.host end`;
}

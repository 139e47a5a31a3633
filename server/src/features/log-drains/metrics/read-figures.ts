import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { ClaimedDrain } from "../claim-drains.ts";
import { LAST_ID, type Placed, type Unsent } from "../signal.ts";

const MINUTE_MS = 60_000;
/** Queued runs that are counted for one request: of a longer queue this many are reported. */
const MAX_QUEUED = 100_000;

/** What the runs of a job in an environment have come to since the project began. */
export type JobTotals = {
  job_id: string;
  job_slug: string;
  environment_id: string;
  created: number;
  completed: number;
  failed: number;
  timed_out: number;
  canceled: number;
  retried: number;
  duration_ms: number;
};

/** The runs of a job that are due and wait. */
export type JobBacklog = { job_id: string; job_slug: string; queued: number; oldest_secs: number };

/** The figures of one minute. `position` is the number of the minute. */
export type FiguresRecord = Placed & { since: string; totals: JobTotals[]; backlog: JobBacklog[] };

/** Of a claimed drain, or of one that is tested. */
type Filtered = Pick<ClaimedDrain, "project_id" | "job_ids" | "environment_id">;

/** The figures of now, once a minute. A minute in which the receiver was away is not sent later: sums are cumulative. */
export async function readFigures(ctx: Ctx, drain: Filtered & { position: number }): Promise<Unsent<FiguresRecord>> {
  const now_ms = ctx.watch.nowMs();
  const position = Math.floor(now_ms / MINUTE_MS);
  if (position <= drain.position) return { records: [], end: undefined };
  const [totals, backlog, since] = await Promise.all([
    readTotals(ctx, drain),
    readBacklog(ctx, drain),
    readSince(ctx, drain),
  ]);
  const created_at = new Date(now_ms).toISOString();
  return { records: [{ position, id: LAST_ID, created_at, since, totals, backlog }], end: undefined };
}

/** In the bucket of all time the counts of a job are only ever added to. */
async function readTotals(ctx: Ctx, { project_id, job_ids, environment_id }: Filtered): Promise<JobTotals[]> {
  const { rows } = await sql<JobTotals>`
    select u.subject_id as job_id, j.slug as job_slug, u.environment_id, u.counts[1]::float8 as created,
      u.counts[2]::float8 as completed, u.counts[3]::float8 as failed, u.counts[4]::float8 as timed_out,
      u.counts[5]::float8 as canceled, u.counts[6]::float8 as retried, u.counts[7]::float8 as duration_ms
    from rollups u join jobs j on j.project_id = u.project_id and j.id = u.subject_id and j.deleted_at is null
    where u.project_id = ${project_id} and u.series = 'runs' and u.split = 'job' and u.grain = 0
      ${job_ids === null ? sql`` : sql`and u.subject_id = any(${job_ids}::uuid[])`}
      ${environment_id === null ? sql`` : sql`and u.environment_id = ${environment_id}`}
    order by j.slug, u.environment_id`.execute(ctx.db);
  return rows;
}

/** The queue does not know environments: a drain of one sends no backlog. */
async function readBacklog(ctx: Ctx, { project_id, job_ids, environment_id }: Filtered): Promise<JobBacklog[]> {
  if (environment_id !== null) return [];
  const { rows } = await sql<JobBacklog>`
    select q.job_id, j.slug as job_slug, count(*)::int as queued,
      extract(epoch from clock() - min(q.run_at))::float8 as oldest_secs
    from (
      select q.job_id, q.run_at from run_queue q
      where q.project_id = ${project_id} and q.lease_until is null and q.run_at <= clock() limit ${MAX_QUEUED}
    ) q join jobs j on j.project_id = ${project_id} and j.id = q.job_id
    where ${job_ids === null} or q.job_id = any(${job_ids}::uuid[])
    group by q.job_id, j.slug order by j.slug`.execute(ctx.db);
  return rows;
}

async function readSince(ctx: Ctx, { project_id }: Filtered): Promise<string> {
  const { rows } = await sql<{ created_at: string }>`
    select created_at from projects where id = ${project_id}`.execute(ctx.db);
  if (!rows[0]) throw new Error("the project of a drain was not found");
  return rows[0].created_at;
}

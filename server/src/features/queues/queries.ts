import type { Queue, QueueLoad, QueueState } from "@millrace/contract/workers/queues";
import { WORKER_GONE_SECS } from "@millrace/contract/workers/workers";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { InUse } from "../../platform/errors/issues.ts";
import type { Page } from "../../platform/listing/page.ts";

export type QueueRow = Omit<Queue, "$schema">;

const COLUMNS = sql`q.id, q.name, q.project_id, q.description, q.max_concurrency, q.rate_limit_max, q.rate_limit_window_secs,
  q.weight, q.paused_at is not null as paused, q.paused_at, q.created_by, q.created_by_id, q.created_at, q.updated_at`;

export async function findQueue(ctx: ProjectCtx, name: string): Promise<QueueRow | undefined> {
  const { rows } = await sql<QueueRow>`
    select ${COLUMNS} from queues q where q.project_id = ${ctx.project_id} and q.name = ${name}`.execute(ctx.db);
  return rows[0];
}

type Settings = Pick<
  QueueRow,
  "name" | "description" | "max_concurrency" | "rate_limit_max" | "rate_limit_window_secs" | "weight"
>;
type NewQueue = Settings & Pick<QueueRow, "id" | "paused" | "created_by" | "created_by_id">;

/** False: the name is taken. */
export async function insertQueue(ctx: ProjectCtx & InTransaction, queue: NewQueue): Promise<boolean> {
  const { rows } = await sql`
    insert into queues (project_id, id, name, description, max_concurrency, rate_limit_max, rate_limit_window_secs, weight,
      paused_at, created_by, created_by_id, created_at, updated_at)
    values (${ctx.project_id}, ${queue.id}, ${queue.name}, ${queue.description}, ${queue.max_concurrency},
      ${queue.rate_limit_max}, ${queue.rate_limit_window_secs}, ${queue.weight},
      case when ${queue.paused}::boolean then clock() end, ${queue.created_by}, ${queue.created_by_id}, clock(), clock())
    on conflict (project_id, name) do nothing
    returning id`.execute(ctx.db);
  return rows.length > 0;
}

export async function updateQueueRow(ctx: ProjectCtx & InTransaction, queue: Settings): Promise<void> {
  await sql`
    update queues set description = ${queue.description}, max_concurrency = ${queue.max_concurrency},
      rate_limit_max = ${queue.rate_limit_max}, rate_limit_window_secs = ${queue.rate_limit_window_secs},
      weight = ${queue.weight}, updated_at = clock()
    where project_id = ${ctx.project_id} and name = ${queue.name}`.execute(ctx.db);
}

export async function setPaused(ctx: ProjectCtx & InTransaction, name: string, isPaused: boolean): Promise<void> {
  await sql`
    update queues set paused_at = case when ${isPaused}::boolean then clock() end, updated_at = clock()
    where project_id = ${ctx.project_id} and name = ${name}`.execute(ctx.db);
}

export async function deleteQueueRow(ctx: ProjectCtx & InTransaction, name: string): Promise<void> {
  await sql`delete from queues where project_id = ${ctx.project_id} and name = ${name}`.execute(ctx.db);
}

/** Some of its jobs, and which of them the caller may read. */
export async function listJobsOf(ctx: ProjectCtx, name: string): Promise<InUse[]> {
  const { rows } = await sql<InUse>`
    select j.id, j.name, ${visible(ctx, "jobs", "j")} as is_readable from jobs j
    where j.project_id = ${ctx.project_id} and j.queue = ${name} and j.deleted_at is null
    order by j.name, j.id limit 50`.execute(ctx.db);
  return rows;
}

type LoadRow = Omit<QueueLoad, "$schema">;

export function listQueueLoads(ctx: ProjectCtx, page: Page): Promise<LoadRow[]> {
  const found = sql`
    select q.* from queues q where q.project_id = ${ctx.project_id} ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
  return readLoads(ctx, found, page.orderBy);
}

export async function findQueueLoad(ctx: ProjectCtx, name: string): Promise<LoadRow | undefined> {
  const found = sql`select q.* from queues q where q.project_id = ${ctx.project_id} and q.name = ${name}`;
  return (await readLoads(ctx, found, sql``))[0];
}

const MAX_DEPTH = 10_000;

/** Queues with their load: one pass over the queued runs of the project, whatever the number of queues. */
async function readLoads(
  { project_id, db }: ProjectCtx,
  found: Sql<unknown>,
  orderBy: Sql<unknown>,
): Promise<LoadRow[]> {
  const { rows } = await sql<LoadRow>`
    with found as materialized (${found}),
    time as materialized (select clock() as now),
    per_job as materialized (
      select r.job_id, count(*) filter (where r.lease_until is not null) as in_flight,
        count(*) filter (where r.is_due) as due, min(r.run_at) filter (where r.is_due) as oldest_at
      from (
        select q.job_id, q.lease_until, q.run_at,
          q.lease_until is null and q.run_at <= (select now from time) and q.blocked_on is distinct from 'dependency' as is_due
        from run_queue q where q.project_id = ${project_id}
      ) r
      group by r.job_id
    ),
    loads as materialized (
      select j.queue, count(*) filter (where j.deleted_at is null)::int as jobs, sum(p.in_flight)::int as in_flight,
        least(coalesce(sum(p.due), 0), ${MAX_DEPTH})::int as depth, min(p.oldest_at) as oldest_at
      from jobs j left join per_job p on p.job_id = j.id
      where j.project_id = ${project_id} and j.queue in (select name from found)
      group by j.queue
    )
    select ${COLUMNS}, coalesce(l.jobs, 0) as jobs, coalesce(l.depth, 0) as depth, coalesce(l.in_flight, 0) as in_flight,
      extract(epoch from (select now from time) - l.oldest_at)::float8 as oldest_age_secs,
      (select count(*)::int from workers w where w.project_id = ${project_id}
        and w.last_seen_at > (select now from time) - ${WORKER_GONE_SECS} * interval '1 second'
        and (w.queues is null or q.name = any(w.queues))) as workers
    from found q left join loads l on l.queue = q.name
    ${orderBy}`.execute(db);
  return rows;
}

const RATE_MINUTES = 5;

/** Of runs created in the last hour: an index finds them by job and time. */
export async function readRates({ project_id, db }: ProjectCtx, name: string) {
  const { rows } = await sql<Pick<QueueState, "started_per_minute" | "ended_per_minute">>`
    with time as materialized (select now, now - ${RATE_MINUTES} * interval '1 minute' as since from (select clock() as now) c)
    select count(*) filter (where r.started_at > (select since from time))::float8 / ${RATE_MINUTES} as started_per_minute,
      count(*) filter (where r.finished_at > (select since from time))::float8 / ${RATE_MINUTES} as ended_per_minute
    from jobs j, lateral (
      select r.started_at, r.finished_at from runs r
      where r.project_id = ${project_id} and r.job_id = j.id and r.created_at > (select now from time) - interval '1 hour'
        and r.started_at is not null offset 0
    ) r
    where j.project_id = ${project_id} and j.queue = ${name}`.execute(db);
  return rows[0] ?? { started_per_minute: 0, ended_per_minute: 0 };
}

import type { Queue, QueueState } from "@millrace/contract/workers/queues";
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

export async function listQueueRows(ctx: ProjectCtx, page: Page): Promise<QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select ${COLUMNS} from queues q where q.project_id = ${ctx.project_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
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

type Load = Pick<
  QueueState,
  "jobs" | "depth" | "oldest_age_secs" | "in_flight" | "started_per_minute" | "ended_per_minute" | "workers"
>;

const MAX_DEPTH = 10_000;
const RATE_MINUTES = 5;

export async function readLoad(ctx: ProjectCtx, name: string): Promise<Load> {
  const { project_id } = ctx;
  const { rows } = await sql<Load>`
    with mine as materialized (select id from jobs where project_id = ${project_id} and queue = ${name}),
    due as materialized (
      select q.run_at from run_queue q
      where q.project_id = ${project_id} and q.job_id in (select id from mine) and q.lease_until is null
        and q.run_at <= clock() and q.blocked_on is distinct from 'dependency'
      order by q.run_at limit ${MAX_DEPTH}
    )
    select (select count(*)::int from jobs where project_id = ${project_id} and queue = ${name} and deleted_at is null) as jobs,
      (select count(*)::int from due) as depth,
      (select extract(epoch from clock() - min(run_at))::float8 from due) as oldest_age_secs,
      (select count(*)::int from run_queue q
        where q.project_id = ${project_id} and q.job_id in (select id from mine) and q.lease_until is not null) as in_flight,
      ${perMinute(ctx, "started_at")} as started_per_minute,
      ${perMinute(ctx, "finished_at")} as ended_per_minute,
      (select count(*)::int from workers w where w.project_id = ${project_id}
        and w.last_seen_at > clock() - ${WORKER_GONE_SECS} * interval '1 second'
        and (w.queues is null or ${name} = any(w.queues))) as workers`.execute(ctx.db);
  return rows[0] as Load;
}

/** Of runs created in the last hour: an index finds them by job and id, and ids begin with the time. */
function perMinute({ project_id, watch }: ProjectCtx, column: "started_at" | "finished_at"): Sql<number> {
  return sql`(
    select count(*)::float8 / ${RATE_MINUTES} from mine m, lateral (
      select 1 from runs r
      where r.project_id = ${project_id} and r.job_id = m.id and r.${sql.ref(column)} > clock() - ${RATE_MINUTES} * interval '1 minute'
        and r.id > ${firstIdAt(watch.nowMs() - HOUR_MS)}::uuid offset 0
    ) r)`;
}

const HOUR_MS = 3_600_000;

function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

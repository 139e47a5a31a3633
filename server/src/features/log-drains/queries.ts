import { visible } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";
import type { DrainTarget } from "./claim-drains.ts";

export type DrainRow = DrainTarget & {
  environment_id: string | null;
  name: string;
  min_level: "debug" | "info" | "warn" | "error";
  job_ids: string[] | null;
  enabled: boolean;
  is_claimed: boolean;
  oldest_unsent_at: string | null;
  consecutive_failures: number;
  next_attempt_at: string;
  last_status_code: number | null;
  last_error: string | null;
  last_delivered_at: string | null;
  delivered_count: number;
  dropped_count: number;
  refused_count: number;
  created_by: string;
  created_by_id: string | null;
  created_at: string;
  updated_at: string;
};

const IS_WANTED = sql`array_position(array['debug', 'info', 'warn', 'error'], l.level)
    >= array_position(array['debug', 'info', 'warn', 'error'], d.min_level)
  and (d.job_ids is null or l.job_id = any(d.job_ids))
  and (d.environment_id is null or r.environment_id = d.environment_id)`;

/** The lines of a part of the log, sequenced or not. */
const linesOf = (log: Sql) => sql`${log} c cross join lateral unnest(c.ids, c.row_ids) as m(run_id, id)
  cross join lateral (
    select l.* from run_logs l
    where l.project_id = c.project_id and l.run_id = m.run_id and l.created_at = c.created_at and l.id = m.id offset 0
  ) l
  join runs r on r.project_id = l.project_id and r.id = l.run_id
  where c.project_id = d.project_id and c.kind = 'run_log' and d.enabled and ${IS_WANTED}`;

/** Finds the oldest waiting line by the order of the log: one index lookup, or a few where most lines do not match. */
const COLUMNS = sql`d.project_id, d.id, d.environment_id, d.name, d.url, d.signal, d.format, d.auth_type, d.auth_name,
  d.credentials, d.min_level, d.job_ids, d.enabled, d.claim_token is not null as is_claimed, case d.signal when 'logs' then (
    select coalesce((
      select l.created_at from ${linesOf(sql`changelog`)}
        and c.position >= d.position and (c.position, m.id) > (d.position, d.after_id)
      order by c.position, m.id limit 1
    ), (select min(l.created_at) from ${linesOf(sql`changelog_inbox`)}))
  ) end as oldest_unsent_at, d.consecutive_failures, d.next_attempt_at, d.last_status_code, d.last_error,
  d.last_delivered_at, d.delivered_count::float8 as delivered_count, d.dropped_count::float8 as dropped_count,
  d.refused_count::float8 as refused_count, d.created_by, d.created_by_id, d.created_at, d.updated_at`;

export async function findDrain(ctx: ProjectCtx, id: string): Promise<DrainRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<DrainRow>`
    select ${COLUMNS} from log_drains d
    where d.project_id = ${ctx.project_id} and d.id = ${id} and ${visible(ctx, "log_drains", "d")}`.execute(ctx.db);
  return rows[0];
}

export async function lockDrain(ctx: ProjectCtx & InTransaction, id: string): Promise<DrainRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<DrainRow>`
    select ${COLUMNS} from log_drains d
    where d.project_id = ${ctx.project_id} and d.id = ${id} and ${visible(ctx, "log_drains", "d")}
    for update`.execute(ctx.db);
  return rows[0];
}

export async function listDrains(ctx: ProjectCtx, page: Page): Promise<DrainRow[]> {
  const { rows } = await sql<DrainRow>`
    select ${COLUMNS} from log_drains d
    where d.project_id = ${ctx.project_id} and ${visible(ctx, "log_drains", "d")} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** The ids for ids or slugs, of jobs that exist. */
export async function findJobs(ctx: ProjectCtx, refs: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ ref: string; id: string }>`
    select f.ref, j.id from unnest(${[...refs]}::text[]) as f(ref)
    join jobs j on j.project_id = ${ctx.project_id} and (j.slug = f.ref or j.id::text = f.ref)
      and j.deleted_at is null and ${visible(ctx, "jobs", "j")}`.execute(ctx.db);
  return new Map(rows.map(({ ref, id }) => [ref, id]));
}

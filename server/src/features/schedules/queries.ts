import type { ListSchedulesQuery, Schedule } from "@millrace/contract/jobs/schedules";
import { SCHEDULE_COLUMNS, type ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { visible, visibleSchedule } from "../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export async function findSchedule(ctx: ProjectCtx, id: string): Promise<ScheduleRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${ctx.project_id} and s.id = ${id} and ${visibleSchedule(ctx, "s")}`.execute(ctx.db);
  return rows[0];
}

export async function lockSchedule(ctx: ProjectCtx & InTransaction, id: string): Promise<ScheduleRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${ctx.project_id} and s.id = ${id} and ${visibleSchedule(ctx, "s")}
    for update`.execute(ctx.db);
  return rows[0];
}

export async function listSchedules(ctx: ProjectCtx, page: Page, query: ListSchedulesQuery): Promise<ScheduleRow[]> {
  const { job_id, workflow_id } = query;
  const ofJob = job_id === undefined ? sql`` : sql`and s.job_id in (${jobNamed(ctx, job_id)})`;
  const ofWorkflow = workflow_id === undefined ? sql`` : sql`and s.workflow_id in (${workflowNamed(ctx, workflow_id)})`;
  const paused = query.paused === undefined ? sql`` : sql`and (s.paused_at is not null) = ${query.paused}`;
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${ctx.project_id} and ${visibleSchedule(ctx, "s")} ${ofJob} ${ofWorkflow} ${paused}
      ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/**
 * Locks the job in share mode until the commit, so that a concurrent deletion either includes the new schedule or makes
 * this request fail.
 */
export async function shareJob(ctx: ProjectCtx & InTransaction, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`${jobNamed(ctx, ref)} for share`.execute(ctx.db);
  return rows[0]?.id;
}

/** The same for a workflow. */
export async function shareWorkflow(ctx: ProjectCtx & InTransaction, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`${workflowNamed(ctx, ref)} for share`.execute(ctx.db);
  return rows[0]?.id;
}

function jobNamed(ctx: ProjectCtx, ref: string) {
  return sql`select j.id from jobs j
    where j.project_id = ${ctx.project_id} and ${isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`}
      and j.deleted_at is null and ${visible(ctx, "jobs", "j")}`;
}

function workflowNamed(ctx: ProjectCtx, ref: string) {
  return sql`select w.id from workflows w
    where w.project_id = ${ctx.project_id} and ${isId(ref) ? sql`w.id = ${ref}` : sql`w.slug = ${ref}`}
      and w.deleted_at is null and ${visible(ctx, "workflows", "w")}`;
}

export function presentSchedule(row: ScheduleRow): Schedule {
  return { ...row, paused: row.paused_at !== null };
}

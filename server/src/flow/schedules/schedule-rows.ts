import type { OVERLAP_POLICIES } from "@millrace/contract/jobs/schedules";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { nextFire } from "../../platform/time/cron.ts";

export type ScheduleRow = {
  id: string;
  project_id: string;
  name: string | null;
  /** What it starts: a job, or a workflow. */
  job_id: string | null;
  workflow_id: string | null;
  is_default: boolean;
  cron: string;
  timezone: string;
  payload: unknown;
  overlap_policy: (typeof OVERLAP_POLICIES)[number];
  environment_id: string | null;
  paused_at: string | null;
  next_fire_at: string | null;
  last_fired_at: string | null;
  last_run_id: string | null;
  created_by: string;
  created_by_id: string | null;
  created_at: string;
  updated_at: string;
};

/** Of `schedules s`. */
export const SCHEDULE_COLUMNS = sql`s.id, s.project_id, s.name, s.job_id, s.workflow_id, s.is_default, s.cron, s.timezone,
  s.payload, s.overlap_policy, s.environment_id, s.paused_at, s.next_fire_at, s.last_fired_at, s.last_run_id,
  s.created_by, s.created_by_id, s.created_at, s.updated_at`;

type WrittenOnce = "project_id" | "id" | "job_id" | "workflow_id" | "is_default" | "created_by" | "created_by_id";
type Changeable = "name" | "cron" | "timezone" | "payload" | "overlap_policy" | "environment_id" | "next_fire_at";

type NewSchedule = Pick<ScheduleRow, WrittenOnce | Changeable> & { is_paused: boolean };
export type ChangedSchedule = Pick<ScheduleRow, "project_id" | "id" | Changeable> & { is_paused: boolean };

export async function insertSchedule(tx: Ctx & InTransaction, schedule: NewSchedule): Promise<ScheduleRow> {
  const { rows } = await sql<ScheduleRow>`
    insert into schedules as s (project_id, id, name, job_id, workflow_id, is_default, cron, timezone, payload,
      overlap_policy, environment_id, paused_at, next_fire_at, created_by, created_by_id, created_at, updated_at)
    values (${schedule.project_id}, ${schedule.id}, ${schedule.name}, ${schedule.job_id}, ${schedule.workflow_id},
      ${schedule.is_default}, ${schedule.cron}, ${schedule.timezone}, ${JSON.stringify(schedule.payload)}::jsonb,
      ${schedule.overlap_policy}, ${schedule.environment_id}, case when ${schedule.is_paused}::boolean then clock() end,
      ${schedule.next_fire_at}::timestamptz, ${schedule.created_by}, ${schedule.created_by_id}, clock(), clock())
    returning ${SCHEDULE_COLUMNS}`.execute(tx.db);
  return onlyRow(rows);
}

/** Under a lock on the row. */
export async function updateSchedule(tx: Ctx & InTransaction, schedule: ChangedSchedule): Promise<ScheduleRow> {
  const { rows } = await sql<ScheduleRow>`
    update schedules s set name = ${schedule.name}, cron = ${schedule.cron}, timezone = ${schedule.timezone},
      payload = ${JSON.stringify(schedule.payload)}::jsonb, overlap_policy = ${schedule.overlap_policy},
      environment_id = ${schedule.environment_id}, next_fire_at = ${schedule.next_fire_at}::timestamptz,
      paused_at = case when ${schedule.is_paused}::boolean then coalesce(s.paused_at, clock()) end,
      updated_at = clock()
    where s.project_id = ${schedule.project_id} and s.id = ${schedule.id}
    returning ${SCHEDULE_COLUMNS}`.execute(tx.db);
  return onlyRow(rows);
}

export async function deleteSchedule(tx: Ctx & InTransaction, { project_id, id }: ScheduleRow): Promise<void> {
  await sql`delete from schedules where project_id = ${project_id} and id = ${id}`.execute(tx.db);
}

/** A run that was requested manually, outside its times. */
export async function recordScheduledRun(
  tx: Ctx & InTransaction,
  { project_id, id }: ScheduleRow,
  run_id: string,
): Promise<void> {
  await sql`
    update schedules set last_run_id = ${run_id}, last_fired_at = clock()
    where project_id = ${project_id} and id = ${id}`.execute(tx.db);
}

function onlyRow(rows: ScheduleRow[]): ScheduleRow {
  const [row] = rows;
  if (!row) throw new Error("the locked schedule cannot be found");
  return row;
}

type Times = Pick<ScheduleRow, "cron" | "timezone">;

/**
 * When a schedule fires next after it was changed. A new expression or zone counts from now; otherwise the time stays,
 * so that a time due right now is not skipped because another field was saved.
 */
export async function timeAfterChange(ctx: Ctx, before: ScheduleRow, after: Times): Promise<string | null> {
  if (before.paused_at !== null) return null;
  if (before.cron === after.cron && before.timezone === after.timezone) return before.next_fire_at;
  return timeFromNow(ctx, after);
}

export async function timeFromNow(ctx: Ctx, { cron, timezone }: Times): Promise<string | null> {
  const { rows } = await sql<{ now: string }>`select clock() as now`.execute(ctx.db);
  return nextFire(cron, timezone, rows[0]?.now ?? "");
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { newId } from "../platform/ids.ts";
import { insertSchedule, SCHEDULE_COLUMNS, type ScheduleRow, updateSchedule } from "./schedule-rows.ts";
import { timeAfterChange, timeFromNow } from "./schedule-time.ts";

type JobPlace = { project_id: string; job_id: string };
type JobCron = JobPlace & {
  /** Null: the job has no times of its own. */
  cron: string | null;
  timezone: string;
  overlap_policy: ScheduleRow["overlap_policy"];
  created_by: string;
};

/**
 * Keeps a job's default schedule as the job says; call it in the transaction that writes the job. Name, payload,
 * environment and pause are the schedule's own and stay.
 */
export async function keepDefaultSchedule(tx: Ctx & InTransaction, job: JobCron): Promise<void> {
  const { cron, timezone, overlap_policy } = job;
  if (cron === null) return removeDefault(tx, job);
  const before = await lockDefault(tx, job);
  if (!before) {
    const own = { id: newId(), name: null, payload: {}, environment_id: null, is_default: true, is_paused: false };
    const next_fire_at = await timeFromNow(tx, { cron, timezone });
    await insertSchedule(tx, { ...job, ...own, cron, next_fire_at });
    return;
  }
  const next_fire_at = await timeAfterChange(tx, before, { cron, timezone });
  const is_paused = before.paused_at !== null;
  await updateSchedule(tx, { ...before, cron, timezone, overlap_policy, next_fire_at, is_paused });
}

/** With the job, all its schedules end. */
export async function removeSchedulesOf(tx: Ctx & InTransaction, { project_id, job_id }: JobPlace): Promise<void> {
  await sql`delete from schedules where project_id = ${project_id} and job_id = ${job_id}`.execute(tx.db);
}

async function removeDefault(tx: Ctx & InTransaction, { project_id, job_id }: JobPlace): Promise<void> {
  await sql`
    delete from schedules where project_id = ${project_id} and job_id = ${job_id} and is_default`.execute(tx.db);
}

async function lockDefault(
  tx: Ctx & InTransaction,
  { project_id, job_id }: JobPlace,
): Promise<ScheduleRow | undefined> {
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${project_id} and s.job_id = ${job_id} and s.is_default for update`.execute(tx.db);
  return rows[0];
}

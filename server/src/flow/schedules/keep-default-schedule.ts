import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { newId } from "../../platform/ids.ts";
import {
  insertSchedule,
  SCHEDULE_COLUMNS,
  type ScheduleRow,
  timeAfterChange,
  timeFromNow,
  updateSchedule,
} from "./schedule-rows.ts";

/** The job or workflow that owns the schedules. */
type Owner = { project_id: string } & (
  | { job_id: string; workflow_id?: undefined }
  | { workflow_id: string; job_id?: undefined }
);
type OwnTimes = Owner & {
  /** Null: it has no schedule of its own. */
  cron: string | null;
  timezone: string;
  overlap_policy: ScheduleRow["overlap_policy"];
  created_by: string;
  created_by_id: string | null;
};

/**
 * Keeps the default schedule of a job or workflow in sync with its definition; call it in the transaction that writes
 * the definition. Name, payload, environment and pause belong to the schedule and stay.
 */
export async function keepDefaultSchedule(tx: Ctx & InTransaction, owner: OwnTimes): Promise<void> {
  const { cron, timezone, overlap_policy, job_id = null, workflow_id = null } = owner;
  if (cron === null) return removeDefault(tx, owner);
  const before = await lockDefault(tx, owner);
  if (!before) {
    const own = { id: newId(), name: null, payload: {}, environment_id: null, is_default: true, is_paused: false };
    const next_fire_at = await timeFromNow(tx, { cron, timezone });
    await insertSchedule(tx, { ...owner, ...own, job_id, workflow_id, cron, next_fire_at });
    return;
  }
  const next_fire_at = await timeAfterChange(tx, before, { cron, timezone });
  const is_paused = before.paused_at !== null;
  await updateSchedule(tx, { ...before, cron, timezone, overlap_policy, next_fire_at, is_paused });
}

/** All its schedules end with the job or workflow. */
export async function removeSchedulesOf(tx: Ctx & InTransaction, owner: Owner): Promise<void> {
  await sql`delete from schedules s where s.project_id = ${owner.project_id} and ${ofOwner(owner)}`.execute(tx.db);
}

async function removeDefault(tx: Ctx & InTransaction, owner: Owner): Promise<void> {
  await sql`
    delete from schedules s
    where s.project_id = ${owner.project_id} and ${ofOwner(owner)} and s.is_default`.execute(tx.db);
}

async function lockDefault(tx: Ctx & InTransaction, owner: Owner): Promise<ScheduleRow | undefined> {
  const { rows } = await sql<ScheduleRow>`
    select ${SCHEDULE_COLUMNS} from schedules s
    where s.project_id = ${owner.project_id} and ${ofOwner(owner)} and s.is_default for update`.execute(tx.db);
  return rows[0];
}

function ofOwner({ job_id, workflow_id }: Owner): Sql {
  return job_id === undefined ? sql`s.workflow_id = ${workflow_id}` : sql`s.job_id = ${job_id}`;
}

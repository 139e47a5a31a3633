import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { nextFire } from "../../platform/time/cron.ts";
import { MAX_COUNTED, newestDue } from "./newest-due.ts";
import { cancelOverlapping, listOverlapping } from "./overlapping-runs.ts";
import { SCHEDULE_COLUMNS, type ScheduleRow } from "./schedule-rows.ts";
import { retryWhileStale, startScheduledRun } from "./start-scheduled-run.ts";

/** A schedule that was read as due. */
export type DueSchedule = Pick<ScheduleRow, "project_id" | "id" | "workflow_id" | "overlap_policy"> & {
  next_fire_at: string;
};

type Locked = ScheduleRow & { next_fire_at: string; now: string; is_project_deleted: boolean };

/**
 * Fires one due schedule, unless another instance does or has done so. The record of the fire, the run and the
 * next fire time commit together. A refused run is recorded, and the schedule continues.
 */
export async function fireSchedule(ctx: Ctx, due: DueSchedule): Promise<boolean> {
  if (due.overlap_policy === "cancel_running") await cancelOverlapping(ctx, due);
  return retryWhileStale(() => inTransaction(ctx, (tx) => fireLocked(tx, due))).catch((error) => {
    if (!(error instanceof ApiError) || error.code === "service_unavailable") throw error;
    return inTransaction(ctx, (tx) => refuseLocked(tx, due, error.message));
  });
}

async function fireLocked(tx: Ctx & InTransaction, due: DueSchedule): Promise<boolean> {
  const schedule = await lockDue(tx, due);
  if (!schedule) return false;
  if (schedule.is_project_deleted) throw new ApiError("not_found", "The project was deleted.");
  const fire = fireOf(schedule);
  if (schedule.overlap_policy === "skip" && (await listOverlapping(tx, due)).length > 0) {
    await recordFire(tx, { ...fire, outcome: "skipped", reason: "a run of the schedule had not ended" });
    return true;
  }
  const run_id = newId();
  if (!(await recordFire(tx, { ...fire, run_id }))) return true;
  const by = { id: null, name: `schedule:${schedule.id}` };
  await startScheduledRun(tx, schedule, { run_id, by, scheduled_at: fire.scheduled_for });
  return true;
}

async function refuseLocked(tx: Ctx & InTransaction, due: DueSchedule, reason: string): Promise<boolean> {
  const schedule = await lockDue(tx, due);
  if (!schedule) return false;
  await recordFire(tx, { ...fireOf(schedule), outcome: "refused", reason });
  return true;
}

/** Undefined: it was changed since, or another instance fires it. */
async function lockDue(tx: Ctx & InTransaction, due: DueSchedule): Promise<Locked | undefined> {
  const { rows } = await sql<Locked>`
    select ${SCHEDULE_COLUMNS}, clock() as now, p.deleted_at is not null as is_project_deleted
    from schedules s join projects p on p.id = s.project_id
    where s.project_id = ${due.project_id} and s.id = ${due.id} and s.next_fire_at = ${due.next_fire_at}::timestamptz
      and s.next_fire_at <= clock() and s.paused_at is null
    for update of s skip locked`.execute(tx.db);
  return rows[0];
}

function fireOf(schedule: Locked): Fire {
  const { project_id, id: schedule_id, cron, timezone, now } = schedule;
  const { scheduled_for, missed } = newestDue(schedule, now);
  const next_fire_at = schedule.is_project_deleted ? null : nextFire(cron, timezone, scheduled_for);
  const reason = describeMissed(missed);
  return { project_id, schedule_id, scheduled_for, next_fire_at, outcome: "fired", run_id: null, reason };
}

function describeMissed(missed: number): string | null {
  if (missed === 0) return null;
  const count = missed < MAX_COUNTED ? `${missed}` : `at least ${missed}`;
  return `${count} earlier ${missed === 1 ? "time was" : "times were"} missed`;
}

type Fire = {
  project_id: string;
  schedule_id: string;
  scheduled_for: string;
  next_fire_at: string | null;
  outcome: "fired" | "skipped" | "refused";
  /** The run that is being started for it. */
  run_id: string | null;
  reason: string | null;
};

/**
 * Records one fire of a schedule with its outcome and advances the schedule, under a lock on it. False: the fire at
 * that time was recorded before, so nothing may be started for it again.
 */
export async function recordFire(tx: Ctx & InTransaction, fire: Fire): Promise<boolean> {
  const { rows } = await sql<{ is_new: boolean }>`
    with recorded as (
      insert into schedule_fires (project_id, schedule_id, scheduled_for, outcome, run_id, reason, created_at)
      values (${fire.project_id}, ${fire.schedule_id}, ${fire.scheduled_for}::timestamptz, ${fire.outcome},
        ${fire.run_id}, ${fire.reason}, clock())
      on conflict (project_id, schedule_id, scheduled_for) do nothing
      returning run_id
    )
    update schedules s set next_fire_at = ${fire.next_fire_at}::timestamptz,
      last_run_id = coalesce((select run_id from recorded), s.last_run_id),
      last_fired_at = case when (select run_id from recorded) is null then s.last_fired_at else clock() end
    where s.project_id = ${fire.project_id} and s.id = ${fire.schedule_id}
    returning exists (select 1 from recorded) as is_new`.execute(tx.db);
  return rows[0]?.is_new ?? false;
}

import type { Actor } from "../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { nextFire } from "../../platform/time/cron.ts";
import { MAX_COUNTED, newestDue } from "./newest-due.ts";
import { cancelOverlapping, listOverlapping } from "./overlapping-runs.ts";
import { type Fire, recordFires } from "./record-fires.ts";
import { SCHEDULE_COLUMNS, type ScheduleRow } from "./schedule-rows.ts";
import { retryWhileStale, startScheduledJobs, startScheduledRun } from "./start-scheduled-run.ts";

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

/**
 * The same for schedules of jobs in one project that may overlap: all in one transaction, or an error and none. Returns
 * how many it fired.
 */
export function fireTogether(ctx: Ctx, project_id: string, due: readonly DueSchedule[]): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const schedules = await lockDue(tx, project_id, due);
    if (schedules.length === 0) return 0;
    if (schedules.some((schedule) => schedule.is_project_deleted)) throw projectDeleted();
    const fires = schedules.map((schedule) => ({ ...fireOf(schedule), run_id: newId() }));
    const recorded = await recordFires(tx, project_id, fires);
    const started = schedules.flatMap((schedule, nth) => {
      const fire = fires[nth];
      if (!fire || !recorded.has(schedule.id)) return [];
      return { schedule, start: { run_id: fire.run_id, by: creatorOf(schedule), scheduled_at: fire.scheduled_for } };
    });
    if (started.length > 0) await startScheduledJobs(tx, project_id, started);
    return schedules.length;
  });
}

async function fireLocked(tx: Ctx & InTransaction, due: DueSchedule): Promise<boolean> {
  const [schedule] = await lockDue(tx, due.project_id, [due]);
  if (!schedule) return false;
  if (schedule.is_project_deleted) throw projectDeleted();
  const fire = fireOf(schedule);
  if (schedule.overlap_policy === "skip" && (await listOverlapping(tx, due)).length > 0) {
    const reason = "a run of the schedule had not ended";
    await recordFires(tx, due.project_id, [{ ...fire, outcome: "skipped", reason }]);
    return true;
  }
  const run_id = newId();
  if (!(await recordFires(tx, due.project_id, [{ ...fire, run_id }])).has(schedule.id)) return true;
  await startScheduledRun(tx, schedule, { run_id, by: creatorOf(schedule), scheduled_at: fire.scheduled_for });
  return true;
}

async function refuseLocked(tx: Ctx & InTransaction, due: DueSchedule, reason: string): Promise<boolean> {
  const [schedule] = await lockDue(tx, due.project_id, [due]);
  if (!schedule) return false;
  await recordFires(tx, due.project_id, [{ ...fireOf(schedule), outcome: "refused", reason }]);
  return true;
}

/**
 * Those that were not changed since, and that no other instance fires. Planned at each call: a plan that was made while the
 * table was empty would read all that are due for each.
 */
async function lockDue(tx: Ctx & InTransaction, project_id: string, due: readonly DueSchedule[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    select s.*, clock() as now, p.deleted_at is not null as is_project_deleted
    from projects p, unnest(${due.map(({ id }) => id)}::uuid[], ${due.map((each) => each.next_fire_at)}::timestamptz[])
      as g(id, next_fire_at), lateral (
      select ${SCHEDULE_COLUMNS} from schedules s
      where s.project_id = ${project_id} and s.id = g.id and s.next_fire_at = g.next_fire_at
        and s.next_fire_at <= clock() and s.paused_at is null
      for update skip locked
    ) s
    where p.id = ${project_id}`.execute(tx.db);
  return rows;
}

function projectDeleted(): ApiError {
  return new ApiError("not_found", "The project was deleted.");
}

function creatorOf({ id }: Locked): Actor {
  return { id: null, name: `schedule:${id}` };
}

function fireOf(schedule: Locked): Fire {
  const { id: schedule_id, cron, timezone, now } = schedule;
  const { scheduled_for, missed } = newestDue(schedule, now);
  const next_fire_at = schedule.is_project_deleted ? null : nextFire(cron, timezone, scheduled_for);
  const reason = describeMissed(missed);
  return { schedule_id, scheduled_for, next_fire_at, outcome: "fired", run_id: null, reason };
}

function describeMissed(missed: number): string | null {
  if (missed === 0) return null;
  const count = missed < MAX_COUNTED ? `${missed}` : `at least ${missed}`;
  return `${count} earlier ${missed === 1 ? "time was" : "times were"} missed`;
}

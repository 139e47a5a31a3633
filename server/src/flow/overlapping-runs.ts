import { sql } from "kysely";
import type { Ctx } from "../platform/context.ts";
import { cancelRun } from "./cancel-run.ts";
import { LIVE_STATUSES } from "./refuse-ended.ts";

type Due = { project_id: string; id: string; next_fire_at: string };

/** Runs that overlap are young: older ones are not looked at. */
const NEWEST = 1_000;

/**
 * The runs of a schedule that have not ended, as long as the time seen due has not been fired. Both are read in one
 * snapshot: the run that another instance starts for that time is never among them.
 */
export async function listOverlapping(ctx: Ctx, { project_id, id, next_fire_at }: Due): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from (
      select id, status from runs where project_id = ${project_id} and schedule_id = ${id}
      order by id desc limit ${NEWEST}
    ) r
    where r.status = any(${LIVE_STATUSES}::text[]) and exists (
      select 1 from schedules s where s.project_id = ${project_id} and s.id = ${id}
        and s.next_fire_at = ${next_fire_at}::timestamptz and s.paused_at is null)`.execute(ctx.db);
  return rows.map((row) => row.id);
}

/** Before the next run is started, each in its own transaction. A crash in between leaves the time due. */
export async function cancelOverlapping(ctx: Ctx, due: Due): Promise<void> {
  const { project_id } = due;
  const reason = "The next time of its schedule came before it had ended.";
  for (const run_id of await listOverlapping(ctx, due)) {
    await cancelRun(ctx, { project_id, run_id, cause: "overlap", reason, by: `schedule:${due.id}` });
  }
}

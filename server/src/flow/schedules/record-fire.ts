import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";

export type Fire = {
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

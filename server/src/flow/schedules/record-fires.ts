import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

export type Fire = {
  schedule_id: string;
  scheduled_for: string;
  next_fire_at: string | null;
  outcome: "fired" | "skipped" | "refused";
  /** The run that is being started for it. */
  run_id: string | null;
  reason: string | null;
};

/**
 * Records a fire of each schedule with its outcome and advances the schedules, under locks on them. Returns the schedules
 * whose fire is new: for the others that time was recorded before, so nothing may be started for it again.
 */
export async function recordFires(
  tx: Ctx & InTransaction,
  project_id: string,
  fires: readonly Fire[],
): Promise<Set<string>> {
  const each = <Name extends keyof Fire>(name: Name) => fires.map((fire) => fire[name]);
  const { rows } = await sql<{ schedule_id: string }>`
    with given as materialized (
      select * from unnest(${each("schedule_id")}::uuid[], ${each("scheduled_for")}::timestamptz[],
        ${each("next_fire_at")}::timestamptz[], ${each("outcome")}::text[], ${each("run_id")}::uuid[], ${each("reason")}::text[]
      ) as g(schedule_id, scheduled_for, next_fire_at, outcome, run_id, reason)
    ),
    recorded as (
      insert into schedule_fires (project_id, schedule_id, scheduled_for, outcome, run_id, reason, created_at)
      select ${project_id}, g.schedule_id, g.scheduled_for, g.outcome, g.run_id, g.reason, clock() from given g
      on conflict (project_id, schedule_id, scheduled_for) do nothing
      returning schedule_id, run_id
    ),
    advanced as (
      update schedules s set next_fire_at = g.next_fire_at, last_run_id = coalesce(r.run_id, s.last_run_id),
        last_fired_at = case when r.run_id is null then s.last_fired_at else clock() end
      from given g left join recorded r on r.schedule_id = g.schedule_id
      where s.project_id = ${project_id} and s.id = g.schedule_id
    )
    select schedule_id from recorded`.execute(tx.db);
  return new Set(rows.map((row) => row.schedule_id));
}

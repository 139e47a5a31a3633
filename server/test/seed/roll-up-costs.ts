import { runSql } from "../world/database.ts";
import type { World } from "../world/world.ts";

/** Rolls up all costs. */
export async function rollUpCosts(world: World): Promise<void> {
  while (await world.tick("sum-changes"));
}

export type Recount = {
  day: string;
  job_id: string;
  environment_id: string;
  reported_microusd: number;
  compute_microusd: number;
  wall_ms: number;
  dispatches: number;
  reports: number;
};

/**
 * Recomputes everything from the logs by another method than the rollup: intervals by window functions over all
 * transitions, and the rate at each interval's end from all rate changes.
 */
export async function recountCosts(world: World, project_id: string): Promise<Recount[]> {
  // Without statistics the recount would compare every row with every other.
  await runSql(world.connection, "analyze runs, run_transitions, run_usage");
  return numbers(
    await runSql<Recount>(
      world.connection,
      `with transitions as (
         select t.*, lag(t.created_at) over (partition by t.run_id order by t.ordinal) as began_at
         from run_history t where t.project_id = $1
       ),
       rates as (
         select compute_rate_microusd_per_sec as rate, coalesce(lag(until) over (order by until), '-infinity') as since, until
         from compute_rate_changes where project_id = $1
         union all
         select compute_rate_microusd_per_sec,
           coalesce((select max(until) from compute_rate_changes where project_id = $1), '-infinity'), 'infinity'
         from projects where id = $1
       ),
       recorded as (
         select m.run_id, m.created_at as at, 0::bigint as reported,
           (extract(epoch from m.created_at - m.began_at) * 1000)::bigint as wall_ms, r.rate, 1 as dispatches, 0 as reports
         from transitions m join rates r on m.created_at >= r.since and m.created_at < r.until where m.from_status = 'running'
         union all
         select run_id, created_at, cost_microusd, 0, 0, 0, 1 from run_usage where project_id = $1
       )
       select to_char(b.at at time zone 'UTC', 'YYYY-MM-DD') as day, r.job_id, r.environment_id,
         sum(b.reported)::bigint as reported_microusd, sum(div(b.wall_ms * b.rate + 500, 1000))::bigint as compute_microusd,
         sum(b.wall_ms)::bigint as wall_ms, sum(b.dispatches)::bigint as dispatches, sum(b.reports)::bigint as reports
       from recorded b join runs r on r.project_id = $1 and r.id = b.run_id
       group by 1, 2, 3 order by 1, 2, 3`,
      [project_id],
    ),
  );
}

/** The same figures from the rollup: per job and day, or for one grain, kind and series. */
export async function rolledUpCosts(world: World, project_id: string, grain = "1d", kind = "job"): Promise<Recount[]> {
  return numbers(
    await runSql<Recount>(
      world.connection,
      `select to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD') as day, job_id, environment_id,
         sum(reported_microusd)::bigint as reported_microusd, sum(compute_microusd)::bigint as compute_microusd,
         sum(wall_ms)::bigint as wall_ms, sum(dispatches)::bigint as dispatches, sum(reports)::bigint as reports
       from cost_rollups where project_id = $1 and kind = $3 and grain = $2
       group by 1, 2, 3
       having sum(dispatches) + sum(reports) > 0 order by 1, 2, 3`,
      [project_id, grain, kind],
    ),
  );
}

function numbers(rows: Recount[]): Recount[] {
  return rows.map(({ day, job_id, environment_id, ...sums }) => ({
    ...{ day, job_id, environment_id },
    ...(Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])) as Omit<
      Recount,
      "day" | "job_id" | "environment_id"
    >),
  }));
}

import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/** Behind more runs than this, the position is not exact. */
export const MAX_AHEAD = 10_000;

/**
 * How many of the rows `q` that are `waiting` start before a run, up to `MAX_AHEAD`. If n runs of its job have an earlier
 * turn, a run with a concurrency key starts at the position of its job's run n + 1 by rank (`flow/runs/turns/take-turns.ts`).
 */
export async function countAhead({ db, project_id }: ProjectCtx, run_id: string, waiting: Sql): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    with mine as materialized (
      select job_id, rank_at, run_id, turn_at from run_queue where project_id = ${project_id} and run_id = ${run_id}
    ),
    place as materialized (
      select coalesce(p.rank_at, m.rank_at) as rank_at, coalesce(p.run_id, m.run_id) as run_id from mine m left join lateral (
        select q.rank_at, q.run_id from run_queue q
        where m.turn_at is not null and q.project_id = ${project_id} and ${waiting} and q.job_id = m.job_id and q.turn_at is not null
        order by q.rank_at, q.run_id
        offset (
          select count(*) from (
            select 1 from run_queue q
            where q.project_id = ${project_id} and ${waiting} and q.job_id = m.job_id and q.turn_at is not null
              and (q.turn_at, q.run_id) < (m.turn_at, m.run_id)
            limit ${MAX_AHEAD}
          ) earlier
        )
        limit 1
      ) p on true
    )
    select count(*)::int as ahead from (
      select 1 from run_queue q
      where q.project_id = ${project_id} and ${waiting} and (q.rank_at, q.run_id) < (select p.rank_at, p.run_id from place p)
      limit ${MAX_AHEAD}
    ) a`.execute(db);
  return rows[0]?.ahead ?? 0;
}

import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { priceOfDispatch } from "../runs/dispatch/dispatch-cost.ts";

/** A finished dispatch, with its price. */
export type DispatchCost = {
  run_id: string;
  attempt: number;
  to_status: string;
  cause: string;
  wall_ms: number;
  compute_microusd: number;
  reported_microusd: number;
};

/**
 * The dispatches of some runs, in order, read from the transition log itself, as the rollups recorded them. A run's
 * transitions lie between its creation and its end, which prunes the partitions of other days; an hour is added for
 * clock skew.
 */
export async function readRunCosts(ctx: Ctx, project_id: string, run_ids: readonly string[]): Promise<DispatchCost[]> {
  const { rows } = await sql<DispatchCost>`
    select t.run_id, t.attempt, t.to_status, t.cause, took.wall_ms, price.compute_microusd, u.reported_microusd
    from unnest(${run_ids}::uuid[]) as g(run_id)
    cross join lateral (
      select r.created_at, coalesce(r.finished_at, clock()) as until from runs r
      where r.project_id = ${project_id} and r.id = g.run_id offset 0
    ) r
    cross join lateral (
      select m.project_id, m.run_id, m.ordinal, m.attempt, m.to_status, m.cause, m.created_at as ended_at
      from run_history m
      where m.project_id = ${project_id} and m.run_id = g.run_id and m.from_status = 'running'
        and m.created_at >= r.created_at - interval '1 hour' and m.created_at <= r.until + interval '1 hour' offset 0
    ) t
    ${priceOfDispatch()}
    cross join lateral (
      select least(coalesce(sum(u.cost_microusd), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as reported_microusd
      from run_usage u where u.project_id = ${project_id} and u.run_id = t.run_id and u.attempt = t.attempt offset 0
    ) u
    order by t.run_id, t.ordinal`.execute(ctx.db);
  return rows;
}

import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { lockBudgets } from "../../budget/lock-budgets.ts";

export type ReportedCost = { cost_microusd: number; max_cost_microusd: number | null };

/** `held_microusd`: the amount reserved for the run in the project's budget. Null: none. */
type Spent = ReportedCost & { held_microusd: number | null };

/** Adds to the run's cost, and returns how much it may spend. Call it under the fence, once the report is stored. */
export async function reportCost(ctx: RunCtx & InTransaction, cost_microusd: number): Promise<ReportedCost> {
  // The largest number that is stored exactly: a larger sum would be rounded.
  const { rows } = await sql<Spent>`
    update runs r set cost_microusd = least(r.cost_microusd + ${cost_microusd}, ${Number.MAX_SAFE_INTEGER}),
      updated_at = clock()
    where r.project_id = ${ctx.project_id} and r.id = ${ctx.run_id} and r.status = 'running'
    returning r.cost_microusd, (
      select v.max_cost_microusd from job_versions v where v.project_id = r.project_id and v.id = r.job_version_id
    ) as max_cost_microusd, (
      select h.microusd from budget_reservations h where h.project_id = r.project_id and h.run_id = r.id
    ) as held_microusd`.execute(ctx.db);
  const [cost] = rows;
  if (!cost) throw new Error("the fenced run was not found");
  const { held_microusd, ...reported } = cost;
  if (held_microusd !== null && reported.cost_microusd > held_microusd) await raiseReservation(ctx);
  return reported;
}

/**
 * A dispatch that has reported more than was reserved for it takes the difference from the budget too, even beyond it:
 * the money is spent, and other runs are admitted by what is left. Earlier dispatches of the run are recorded already.
 */
async function raiseReservation(tx: RunCtx & InTransaction): Promise<void> {
  await lockBudgets(tx, [tx.project_id]);
  await sql`
    with spent as materialized (
      select least(sum(u.cost_microusd), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as microusd from run_usage u
      where u.project_id = ${tx.project_id} and u.run_id = ${tx.run_id} and u.attempt = ${tx.attempt}
    ),
    before as materialized (
      select h.microusd from budget_reservations h where h.project_id = ${tx.project_id} and h.run_id = ${tx.run_id}
    ),
    raised as (
      update budget_reservations h set microusd = s.microusd from spent s
      where h.project_id = ${tx.project_id} and h.run_id = ${tx.run_id} and h.microusd < s.microusd
      returning h.microusd
    )
    update project_budgets p set reserved_microusd = p.reserved_microusd + r.microusd - b.microusd, updated_at = clock()
    from raised r, before b where p.project_id = ${tx.project_id}`.execute(tx.db);
}

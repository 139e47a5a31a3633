import { sql } from "kysely";
import type { InTransaction, RunCtx } from "../../platform/context.ts";
import { lockBudgets } from "./lock-budgets.ts";

/**
 * A dispatch that has reported more than was reserved for it takes the difference from the budget too, even beyond it:
 * the money is spent, and other runs are admitted by what is left. Earlier dispatches of the run are booked already.
 */
export async function raiseReservation(tx: RunCtx & InTransaction): Promise<void> {
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

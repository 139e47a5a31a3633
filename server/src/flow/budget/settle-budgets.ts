import { type Positions, runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { hasKeyOf } from "../../platform/database/has-key-of.ts";
import { sql } from "../../platform/database/sql.ts";
import { lockBudgets, settledIn } from "./lock-budgets.ts";
import { raiseThresholds } from "./notify-budget.ts";
import { ENDS } from "./run-sums.ts";

/**
 * Releases the reservations of dispatches whose cost was recorded in this transaction. Until then they are held, so a run
 * is admitted a little late, and never beyond the budget. Usage is recorded before budgets are locked: setting a budget
 * takes the locks in the same order. Returns the projects whose budgets may have room.
 */
export async function settleBudgets(
  tx: Ctx & InTransaction,
  projects: readonly string[],
  range: Positions,
): Promise<string[]> {
  const ids = [...(await lockBudgets(tx, projects)).keys()];
  if (ids.length === 0) return [];
  await returnReservations(tx, ids, range);
  const budgets = [...(await lockBudgets(tx, ids)).values()];
  for (const budget of budgets) await raiseThresholds(tx, budget);
  return budgets.filter(({ action }) => action === "block").map((each) => each.project_id);
}

/**
 * Releases the reservations of runs that have ended, or that will be retried and reserve again; their cost is recorded
 * already. Under the locks of the budgets. A run that waits, is paused or was requeued undispatched keeps its
 * reservation.
 */
export async function returnReservations(
  tx: Ctx & InTransaction,
  project_ids: string[],
  range: Positions,
): Promise<void> {
  await sql`
    with given as materialized (
      select l.project_id, l.run_id from ${runChanges(range)}
      where l.project_id = any(${project_ids}::uuid[])
        and (l.to_status in ${ENDS} or (l.from_status = 'running' and l.to_status = 'pending' and l.cause not in ('drained', 'unreachable')))
    ),
    returned as (
      delete from budget_reservations h using given g where ${hasKeyOf("h", "g", "run_id")}
      returning h.project_id, h.microusd
    )
    update project_budgets b set settled_microusd = ${settledIn(sql`b.period_starts_at`)}, updated_at = clock(),
      reserved_microusd = greatest(0, b.reserved_microusd - coalesce((
        select sum(r.microusd)::bigint from returned r where r.project_id = b.project_id), 0))
    where b.project_id = any(${project_ids}::uuid[])`.execute(tx.db);
}

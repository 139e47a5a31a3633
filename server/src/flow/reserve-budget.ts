import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { NewRun } from "./new-run.ts";
import type { Settled } from "./trigger-result.ts";

/**
 * For projects with a budget that blocks: reserves each run's estimated cost in the transaction that creates it, one
 * after the other under the budget's lock. Nothing is admitted when what was spent, what is reserved and its own
 * estimate together pass the budget.
 */
export async function reserveBudget(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  settled: Settled,
): Promise<void> {
  const budgeted = newRuns.filter((run) => run.is_budgeted);
  // By project, so that two batches lock the budgets in the same order.
  for (const run of budgeted.toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1))) {
    const { rows } = await sql`
      update project_budgets set reserved_microusd = reserved_microusd + ${run.estimated_cost_microusd}, updated_at = clock()
      where project_id = ${run.project_id} and (action <> 'block' or monthly_budget_microusd is null
        or settled_microusd + reserved_microusd + ${run.estimated_cost_microusd} <= monthly_budget_microusd)
      returning 1`.execute(tx.db);
    if (rows.length === 0) settled.set(run, { kind: "over_budget" });
  }
}

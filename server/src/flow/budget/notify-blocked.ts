import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { Budget } from "./lock-budgets.ts";
import { notifyBudget } from "./notify-budget.ts";

/** Publishes, once per period, that the budget blocks, in the transaction that finds the first run beyond it. */
export async function notifyBlocked(tx: Ctx & InTransaction, budget: Budget): Promise<void> {
  if (budget.blocked_at !== null) return;
  const { rows } = await sql<{ blocked_at: string }>`
    update project_budgets set blocked_at = clock(), updated_at = clock()
    where project_id = ${budget.project_id} returning blocked_at`.execute(tx.db);
  budget.blocked_at = rows[0]?.blocked_at ?? null;
  await notifyBudget(tx, budget, "budget.blocked", {});
}

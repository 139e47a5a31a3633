import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { BUDGET_COLUMNS, type Budget, PERIOD, settledIn } from "./lock-budgets.ts";
import { DEFAULT_THRESHOLDS } from "./set-budget.ts";

/** The current state, without a lock. A project without a budget gets one without an amount. */
export async function readBudget(ctx: Ctx, project_id: string): Promise<Budget> {
  const { rows } = await sql<Budget>`
    select ${BUDGET_COLUMNS} from (
      select g.project_id, b.monthly_budget_microusd, coalesce(b.action, 'notify') as action,
        coalesce(b.thresholds, ${DEFAULT_THRESHOLDS}::int[]) as thresholds, ${PERIOD} as period_starts_at,
        case when b.period_starts_at = ${PERIOD} then b.settled_microusd else ${booked()} end as settled_microusd,
        coalesce(b.reserved_microusd, 0) as reserved_microusd,
        case when b.period_starts_at = ${PERIOD} then b.raised_thresholds else '{}' end as raised_thresholds,
        case when b.period_starts_at = ${PERIOD} then b.blocked_at end as blocked_at
      from (select ${project_id}::uuid as project_id) g
      left join project_budgets b on b.project_id = g.project_id
    ) b`.execute(ctx.db);
  if (!rows[0]) throw new Error("a left join returned no row");
  return rows[0];
}

/** The amount booked in the current period, for a budget that still has an older period or does not exist. */
function booked() {
  return sql`(select ${settledIn(PERIOD)} from (select g.project_id) b)`;
}

import { sql } from "kysely";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { raiseReservation } from "../../budget/raise-reservation.ts";

export type ReportedCost = { cost_microusd: number; max_cost_microusd: number | null };

/** With the amount reserved for it in the project's budget; null: none. */
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

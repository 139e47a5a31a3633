import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { countRepairs } from "../../platform/repairs.ts";
import { admitBlocked } from "./admit-blocked.ts";
import { lockBudgets, settledIn } from "./lock-budgets.ts";
import { reserveRunning } from "./reserve-budget.ts";

const PAGE = 100;
const GRACE_SECS = 300; // by then an end is recorded, unless the recording task is stuck

/**
 * The reconciliation of budgets: recounts those checked longest ago. In a correct system it finds nothing; repairs are
 * logged and counted.
 */
export async function reconcileBudgets(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<{ project_id: string }>`
    select project_id from project_budgets where reconciled_at is null or reconciled_at < clock() - interval '25 seconds'
    order by reconciled_at nulls first limit ${PAGE}`.execute(ctx.db);
  for (const { project_id } of rows) {
    const repaired = await inTransaction(ctx, (tx) => reconcileOne(tx, project_id));
    if (repaired.length === 0) continue;
    await countRepairs(ctx, Object.fromEntries(repaired.map((kind) => [kind, 1])));
    ctx.log.error({ project_id, repaired }, "a budget was inconsistent; repaired");
    await admitBlocked(ctx, project_id);
  }
  return rows.length === PAGE;
}

async function reconcileOne(tx: Ctx & InTransaction, project_id: string): Promise<string[]> {
  const budget = (await lockBudgets(tx, [project_id])).get(project_id);
  if (!budget) return [];
  const orphans = await dropOrphans(tx, project_id);
  const missing = budget.action === "block" ? await reserveRunning(tx, project_id) : 0;
  const { rows } = await sql<{ is_reserved_wrong: boolean; is_settled_wrong: boolean }>`
    with counted as (
      select b.project_id, b.reserved_microusd, b.settled_microusd, ${settledIn(sql`b.period_starts_at`)} as settled,
        coalesce((select sum(h.microusd) from budget_reservations h where h.project_id = b.project_id), 0)::bigint as reserved
      from project_budgets b where b.project_id = ${project_id}
    )
    update project_budgets b set reserved_microusd = c.reserved, settled_microusd = c.settled, reconciled_at = clock()
    from counted c where b.project_id = ${project_id} and c.project_id = b.project_id
    returning c.reserved_microusd <> c.reserved as is_reserved_wrong,
      c.settled_microusd <> c.settled as is_settled_wrong`.execute(tx.db);
  const found = {
    budget_orphaned_reservation: orphans > 0,
    budget_missing_reservation: missing > 0,
    budget_reserved: orphans === 0 && rows[0]?.is_reserved_wrong === true,
    budget_settled: rows[0]?.is_settled_wrong === true,
  };
  return Object.entries(found).flatMap(([kind, isFound]) => (isFound ? [kind] : []));
}

/** Reservations of runs that ended long ago or were removed. */
async function dropOrphans(tx: Ctx & InTransaction, project_id: string): Promise<number> {
  const { rows } = await sql`
    delete from budget_reservations h where h.project_id = ${project_id}
      and h.created_at < clock() - ${GRACE_SECS} * interval '1 second' and not exists (
        select 1 from runs r where r.project_id = h.project_id and r.id = h.run_id
          and (r.finished_at is null or r.finished_at > clock() - ${GRACE_SECS} * interval '1 second') offset 0)
    returning 1`.execute(tx.db);
  return rows.length;
}

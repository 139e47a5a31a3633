import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { settledIn } from "./lock-budgets.ts";
import type { Move } from "./price-moves.ts";

/**
 * Gives back what was reserved for runs that have ended, or that are to be tried again and reserve anew; what they cost
 * is in the books already. Under the locks of the budgets. A run that waits, is paused or was put back undispatched
 * keeps what it has.
 */
export async function returnReservations(
  tx: Ctx & InTransaction,
  project_ids: string[],
  moves: readonly Move[],
): Promise<void> {
  const held = new Set(project_ids);
  const done = moves.filter((move) => held.has(move.project_id) && isDone(move));
  await sql`
    with given as materialized (
      select * from unnest(${done.map((move) => move.project_id)}::uuid[], ${done.map((move) => move.run_id)}::uuid[])
        as g(project_id, run_id)
    ),
    returned as (
      delete from budget_reservations h where h.ctid = any(array(
        select h.place from given g, lateral (
          select h.ctid as place from budget_reservations h
          where h.project_id = g.project_id and h.run_id = g.run_id offset 0
        ) h))
      returning h.project_id, h.microusd
    )
    update project_budgets b set settled_microusd = ${settledIn(sql`b.period_starts_at`)}, updated_at = clock(),
      reserved_microusd = greatest(0, b.reserved_microusd - coalesce((
        select sum(r.microusd)::bigint from returned r where r.project_id = b.project_id), 0))
    where b.project_id = any(${project_ids}::uuid[])`.execute(tx.db);
}

function isDone({ from_status, to_status, cause }: Move): boolean {
  if (to_status === "pending") return from_status === "running" && cause !== "drained";
  return to_status !== "waiting" && to_status !== "paused";
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { ESTIMATE } from "./estimate.ts";
import { insertReservations } from "./reserve-budget.ts";

const PAGE = 1_000;

/**
 * Reserves for leased runs without a reservation: they were admitted before the budget blocked. Reserves even beyond
 * the budget, since they are running. Under the lock of the budget. Returns how many. Reads the running runs of every
 * project: they are few compared with one project's waiting runs.
 */
export async function reserveRunning(tx: Ctx & InTransaction, project_id: string): Promise<number> {
  const { rows } = await sql<{ run_id: string; microusd: number }>`
    with leased as materialized (
      select q.project_id, q.run_id, q.job_id from run_queue q where q.lease_until is not null
    )
    select q.run_id, e.microusd from leased q, lateral (
      select ${ESTIMATE} as microusd from jobs j join projects p on p.id = j.project_id
      left join job_costs c on c.project_id = j.project_id and c.job_id = j.id
      where j.project_id = ${project_id} and j.id = q.job_id offset 0
    ) e
    where q.project_id = ${project_id} and not exists (
      select 1 from budget_reservations h where h.project_id = q.project_id and h.run_id = q.run_id)
    limit ${PAGE}`.execute(tx.db);
  await insertReservations(
    tx,
    rows.map((row) => ({ project_id, ...row })),
  );
  return rows.length;
}

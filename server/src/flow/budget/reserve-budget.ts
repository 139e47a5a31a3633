import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { EnqueuedRun } from "../runs/create/enqueue-runs.ts";
import type { NewRun } from "../runs/create/new-run.ts";
import type { OverBudget } from "../runs/create/trigger-result.ts";
import { type Budget, lockBudgets, roomIn } from "./lock-budgets.ts";
import { notifyBudget } from "./notify-budget.ts";

/** What happens to runs that exceed the budget: the trigger is refused, or they are created blocked. */
export type WhenFull = "refuse" | "block";

/**
 * For projects with a blocking budget, right before the runs are created: under the lock of the budget, each reserves
 * its expected cost, one after the other. A run is not admitted if spent, reserved and its own estimate together exceed
 * the budget. Returns the refused ones. `noteReservations` writes the reservations once the created runs are known; the
 * lock is held in between.
 */
export async function reserveBudget(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  whenFull: WhenFull,
): Promise<Map<NewRun, OverBudget>> {
  const budgeted = newRuns.filter((run) => run.is_budgeted);
  if (budgeted.length === 0) return new Map();
  const budgets = await lockBudgets(
    tx,
    budgeted.map((run) => run.project_id),
  );
  const p95s = await readP95s(tx, budgeted);
  const refused = new Map<NewRun, OverBudget>();
  for (const run of budgeted) {
    // The transaction may be retried.
    run.reserved_microusd = undefined;
    run.is_over_budget = undefined;
    const over = takeFrom(budgets.get(run.project_id), run, p95s.get(run.job_id) ?? 0);
    if (!over) continue;
    if (whenFull === "block") run.is_over_budget = true;
    else refused.set(run, over);
    await notifyBlocked(tx, over.budget);
  }
  return refused;
}

/** In memory. Undefined: it was reserved, or there is nothing to reserve from. */
export function takeFrom(budget: Budget | undefined, run: NewRun, p95: number): OverBudget | undefined {
  const room = budget && roomIn(budget);
  if (!budget || room === undefined) return undefined;
  const estimate = Math.max(run.estimated_cost_microusd, p95);
  if (estimate > room) return { kind: "over_budget", budget, estimate };
  run.reserved_microusd = estimate;
  budget.reserved_microusd += estimate;
  return undefined;
}

export async function readP95s(ctx: Ctx, runs: readonly NewRun[]): Promise<Map<string, number>> {
  const jobs = [...new Map(runs.map((run) => [run.job_id, run])).values()];
  const { rows } = await sql<{ job_id: string; p95_microusd: number }>`
    select c.job_id, c.p95_microusd
    from unnest(${jobs.map((run) => run.project_id)}::uuid[], ${jobs.map((run) => run.job_id)}::uuid[])
      as g(project_id, job_id), lateral (
        select c.job_id, c.p95_microusd from job_costs c
        where c.project_id = g.project_id and c.job_id = g.job_id offset 0
      ) c`.execute(ctx.db);
  return new Map(rows.map((row) => [row.job_id, row.p95_microusd]));
}

/** Reservations of the created runs: one whose job changed meanwhile reserves nothing. */
export async function noteReservations(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  created: ReadonlyMap<string, EnqueuedRun>,
): Promise<void> {
  const taken = newRuns.filter((run) => run.reserved_microusd !== undefined && created.has(run.id));
  await insertReservations(
    tx,
    taken.map((run) => ({ project_id: run.project_id, run_id: run.id, microusd: run.reserved_microusd ?? 0 })),
  );
}

type Reservation = { project_id: string; run_id: string; microusd: number };

/** Under the locks of the budgets. */
export async function insertReservations(tx: Ctx & InTransaction, reservations: readonly Reservation[]): Promise<void> {
  if (reservations.length === 0) return;
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(reservations)}::json)
        as g(project_id uuid, run_id uuid, microusd bigint)
    ),
    kept as (
      insert into budget_reservations (project_id, run_id, microusd, created_at)
      select project_id, run_id, microusd, clock() from given
    )
    update project_budgets b set reserved_microusd = b.reserved_microusd + s.microusd, updated_at = clock()
    from (select project_id, sum(microusd)::bigint as microusd from given group by project_id) s
    where b.project_id = s.project_id`.execute(tx.db);
}

/** Publishes, once per period, that the budget blocks, in the transaction that finds the first run beyond it. */
async function notifyBlocked(tx: Ctx & InTransaction, budget: Budget): Promise<void> {
  if (budget.blocked_at !== null) return;
  const { rows } = await sql<{ blocked_at: string }>`
    update project_budgets set blocked_at = clock(), updated_at = clock()
    where project_id = ${budget.project_id} returning blocked_at`.execute(tx.db);
  budget.blocked_at = rows[0]?.blocked_at ?? null;
  await notifyBudget(tx, budget, "budget.blocked", {});
}

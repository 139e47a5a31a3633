import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { formatUsd } from "../../platform/format-usd.ts";
import type { EnqueuedRun, NewRun, OverBudget } from "../runs/create/new-run.ts";
import { type Budget, lockBudgets, readBudget, roomIn } from "./lock-budgets.ts";
import { notifyBudget } from "./notify-budget.ts";

const MAX_RUNNING = 1_000;

/** What happens to runs that exceed the budget: the trigger is refused, or they are created blocked. */
export type WhenFull = "refuse" | "block";

/**
 * For projects with a blocking budget, right before the runs are created: under the lock of the budget, each reserves
 * its expected cost, one after the other. A run is not admitted if spent, reserved and its own estimate together exceed
 * the budget. Returns the refused ones. `writeReservations` writes the reservations once the created runs are known; the
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
    const over = reserveFrom(budgets.get(run.project_id), run, p95s.get(run.job_id) ?? 0);
    if (!over) continue;
    if (whenFull === "block") run.is_over_budget = true;
    else refused.set(run, over);
    await notifyBlocked(tx, over.budget);
  }
  return refused;
}

/**
 * Which of these runs, all of one project, would exceed its budget, one after the other. Reserves nothing, and
 * publishes no notification that the budget blocks.
 */
export async function previewBudget(ctx: Ctx, runs: readonly NewRun[]): Promise<Map<NewRun, OverBudget>> {
  const budgeted = runs.filter((run) => run.is_budgeted);
  if (!budgeted[0]) return new Map();
  const budget = await readBudget(ctx, budgeted[0].project_id);
  const p95s = await readP95s(ctx, budgeted);
  const refused = new Map<NewRun, OverBudget>();
  for (const run of budgeted) {
    const over = reserveFrom(budget, { ...run }, p95s.get(run.job_id) ?? 0);
    // The budget as seen by this run: later ones may take more.
    if (over) refused.set(run, { ...over, budget: { ...over.budget } });
  }
  return refused;
}

/** In memory. Undefined: it was reserved, or there is nothing to reserve from. */
function reserveFrom(budget: Budget | undefined, run: NewRun, p95: number): OverBudget | undefined {
  const room = budget && roomIn(budget);
  if (!budget || room === undefined) return undefined;
  const estimate = Math.max(run.estimated_cost_microusd, p95);
  if (estimate > room) return { kind: "over_budget", budget, estimate };
  run.reserved_microusd = estimate;
  budget.reserved_microusd += estimate;
  return undefined;
}

async function readP95s(ctx: Ctx, runs: readonly NewRun[]): Promise<Map<string, number>> {
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
export async function writeReservations(
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

/**
 * The expected cost of a run of the job `j`: the maximum of its definition's estimate, the 95th percentile of its last
 * 100 runs (`c`, perhaps none), and one second of compute at the rate of its project `p`.
 */
export const ESTIMATE = sql`greatest(coalesce(j.estimated_cost_microusd, 0), coalesce(c.p95_microusd, 0),
  p.compute_rate_microusd_per_sec)`;

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
    limit ${MAX_RUNNING}`.execute(tx.db);
  await insertReservations(
    tx,
    rows.map((row) => ({ project_id, ...row })),
  );
  return rows.length;
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

/** The refusal of a run that exceeds the budget: the budget's state, and what can be done. */
export function overBudget({ budget, estimate }: OverBudget): ApiError {
  const { settled_microusd, reserved_microusd } = budget;
  const left = Math.max(0, roomIn(budget) ?? 0);
  const needed = settled_microusd + reserved_microusd + estimate;
  return new ApiError(
    "budget_exceeded",
    `${spentOf(budget, formatUsd(left))}, and this run is expected to cost ${formatUsd(estimate)}. ` +
      `Raise monthly_budget_microusd to ${needed} or more with PUT /v1/project-budget${orWait(budget)}`,
  );
}

/** The refusal of a workflow run, which costs nothing itself, while nothing is left for its steps. */
export function budgetIsSpent(budget: Budget): ApiError {
  const { settled_microusd, reserved_microusd } = budget;
  return new ApiError(
    "budget_exceeded",
    `${spentOf(budget, "nothing")}. Raise monthly_budget_microusd above ` +
      `${settled_microusd + reserved_microusd} with PUT /v1/project-budget${orWait(budget)}`,
  );
}

function spentOf({ monthly_budget_microusd, settled_microusd, reserved_microusd }: Budget, left: string): string {
  return (
    `The project's budget of ${formatUsd(monthly_budget_microusd ?? 0)} a month has ${left} left ` +
    `(${formatUsd(settled_microusd)} spent, ${formatUsd(reserved_microusd)} reserved for runs that have not ended)`
  );
}

/** Without reservations nothing will be released. */
function orWait({ reserved_microusd, period_ends_at }: Budget): string {
  const first = reserved_microusd > 0 ? ", wait until runs release unused reservations," : "";
  return `${first} or wait for the next period, which begins at ${period_ends_at}.`;
}

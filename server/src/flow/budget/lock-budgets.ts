import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";

/** A budget under its lock, in the current period. */
export type Budget = {
  project_id: string;
  monthly_budget_microusd: number | null;
  action: "notify" | "block";
  thresholds: number[];
  period_starts_at: string;
  period_ends_at: string;
  settled_microusd: number;
  reserved_microusd: number;
  raised_thresholds: number[];
  blocked_at: string | null;
};

type Locked = Budget & { is_period_over: boolean };

/** The billing period: a calendar month, UTC. */
export const PERIOD = sql`date_trunc('month', clock(), 'UTC')::timestamptz(3)`;

/**
 * Locks the budgets of these projects, in order of their ids, and starts a new period if the old one has ended.
 * Everything that reserves, records or changes a budget begins here, and waits for no other row while it holds one.
 */
export async function lockBudgets(
  tx: Ctx & InTransaction,
  project_ids: Iterable<string>,
): Promise<Map<string, Budget>> {
  const ids = [...new Set(project_ids)];
  if (ids.length === 0) return new Map();
  const found = await readLocked(tx, ids);
  const isPeriodOver = found.some((row) => row.is_period_over);
  if (isPeriodOver) await startNextPeriod(tx, ids);
  const rows = isPeriodOver ? await readLocked(tx, ids) : found;
  return new Map(rows.map(({ is_period_over: _, ...budget }) => [budget.project_id, budget]));
}

async function readLocked(tx: Ctx & InTransaction, ids: string[]): Promise<Locked[]> {
  const { rows } = await sql<Locked>`
    select ${BUDGET_COLUMNS}, b.period_starts_at < ${PERIOD} as is_period_over
    from project_budgets b where b.project_id = any(${ids}::uuid[])
    order by b.project_id for update`.execute(tx.db);
  return rows;
}

const BUDGET_COLUMNS: Sql = sql`
  b.project_id, b.monthly_budget_microusd, b.action, b.thresholds, b.period_starts_at,
  (b.period_starts_at at time zone 'UTC' + interval '1 month') at time zone 'UTC' as period_ends_at,
  b.settled_microusd, b.reserved_microusd, b.raised_thresholds, b.blocked_at`;

export const DEFAULT_THRESHOLDS = [50, 80, 100];

/** The current state, without a lock. A project without a budget gets one without an amount. */
export async function readBudget(ctx: Ctx, project_id: string): Promise<Budget> {
  const { rows } = await sql<Budget>`
    select ${BUDGET_COLUMNS} from (
      select g.project_id, b.monthly_budget_microusd, coalesce(b.action, 'notify') as action,
        coalesce(b.thresholds, ${DEFAULT_THRESHOLDS}::int[]) as thresholds, ${PERIOD} as period_starts_at,
        case when b.period_starts_at = ${PERIOD} then b.settled_microusd else ${recorded()} end as settled_microusd,
        coalesce(b.reserved_microusd, 0) as reserved_microusd,
        case when b.period_starts_at = ${PERIOD} then b.raised_thresholds else '{}' end as raised_thresholds,
        case when b.period_starts_at = ${PERIOD} then b.blocked_at end as blocked_at
      from (select ${project_id}::uuid as project_id) g
      left join project_budgets b on b.project_id = g.project_id
    ) b`.execute(ctx.db);
  if (!rows[0]) throw new Error("a left join returned no row");
  return rows[0];
}

/** The amount recorded in the current period, for a budget that still has an older period or does not exist. */
function recorded() {
  return sql`(select ${settledIn(PERIOD)} from (select g.project_id) b)`;
}

/** Reservations stay: those runs have not ended. Thresholds may be reported again. */
async function startNextPeriod(tx: Ctx & InTransaction, ids: string[]): Promise<void> {
  await sql`
    update project_budgets b set period_starts_at = ${PERIOD}, raised_thresholds = '{}', blocked_at = null,
      settled_microusd = ${settledIn(PERIOD)}, updated_at = clock()
    where b.project_id = any(${ids}::uuid[]) and b.period_starts_at < ${PERIOD}`.execute(tx.db);
}

/** The amount recorded for the project of `b` in a period. */
export function settledIn(period: Sql): Sql {
  return sql`coalesce((
    select u.compute_microusd + u.reported_microusd from usage_periods u
    where u.project_id = b.project_id and u.period_starts_at = ${period}), 0)`;
}

/** Whether the budget `b` blocks and has nothing left. A budget whose period has ended counts as having room. */
export const isSpent: Sql<boolean> = sql`(
  b.action = 'block' and b.monthly_budget_microusd <= b.settled_microusd + b.reserved_microusd
  and b.period_starts_at = ${PERIOD})`;

/** The amount that may still be reserved; undefined: unlimited. */
export function roomIn({ action, monthly_budget_microusd, ...spent }: Budget): number | undefined {
  if (action !== "block" || monthly_budget_microusd === null) return undefined;
  return monthly_budget_microusd - spent.settled_microusd - spent.reserved_microusd;
}

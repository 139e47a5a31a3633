import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { perService } from "../../platform/service-state.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { unblockResumed } from "../limits/block-job.ts";
import { type Lane, wakeLanes } from "../runs/claim/lanes.ts";
import { takeTurns, writeRanks } from "../runs/turns/take-turns.ts";
import { type Budget, lockBudgets, roomIn } from "./lock-budgets.ts";
import { ESTIMATE, insertReservations } from "./reserve-budget.ts";

const PAGE = 500;
const MAX_PAGES = 20;

export const BUDGETS_TOPIC = "budgets";

/** A queue position. `rank_at` to the microsecond, as text. */
export type QueuePosition = { rank_at: string; run_id: string };

const START: QueuePosition = { rank_at: "-infinity", run_id: "00000000-0000-0000-0000-000000000000" };

type Blocked = QueuePosition & { microusd: number };
type Admitted = Lane & { job_id: string; blocked_on: string | null };
type Page = { admitted: Admitted[]; last: QueuePosition | undefined };

/**
 * Unblocks runs that are blocked on the budget, in queue order, as far as there is room. A run that costs more than is
 * left is skipped: it does not block those behind it. Call it after a reservation was released, the budget was changed
 * or a period has begun. Reads at most 10,000 and returns where the timer continues.
 */
export async function admitBlocked(ctx: Ctx, project_id: string, from = START): Promise<QueuePosition | undefined> {
  let after: QueuePosition | undefined = from;
  for (let pages = 0; after && pages < MAX_PAGES; pages++) {
    const start: QueuePosition = after;
    const { admitted, last } = await inTransaction(ctx, (tx) => admitPage(tx, project_id, start));
    await unblockResumed(
      ctx,
      admitted.filter((run) => run.blocked_on?.startsWith("paused_job:")),
    );
    after = last;
  }
  if (after) wake(ctx, BUDGETS_TOPIC);
  return after;
}

/** Locks the budget first: while it is held, no queue row is waited for. */
async function admitPage(tx: Ctx & InTransaction, project_id: string, after: QueuePosition): Promise<Page> {
  const budget = (await lockBudgets(tx, [project_id])).get(project_id);
  const blocked = await lockBlocked(tx, project_id, after);
  const fitting = blocked.filter((run) => tryReserve(budget, run.microusd));
  if (budget && roomIn(budget) !== undefined) {
    const taken = fitting.map(({ run_id, microusd }) => ({ project_id, run_id, microusd }));
    await insertReservations(tx, taken);
  }
  const admitted = await unblock(tx, project_id, fitting);
  const isLast = blocked.length < PAGE || (budget !== undefined && (roomIn(budget) ?? 1) <= 0);
  return { admitted, last: isLast ? undefined : blocked.at(-1) };
}

function tryReserve(budget: Budget | undefined, microusd: number): boolean {
  const room = budget && roomIn(budget);
  if (!budget || room === undefined) return true;
  if (microusd > room) return false;
  budget.reserved_microusd += microusd;
  return true;
}

const BLOCKED = sql`q.blocked_on = 'budget' and q.blocked_on is not null and q.blocked_on <> 'not_due' and not exists (
  select 1 from budget_reservations h where h.project_id = q.project_id and h.run_id = q.run_id)`;

/** A run whose last attempt is not recorded yet still holds its reservation, and is admitted once it is recorded. */
export async function lockBlocked(
  tx: Ctx & InTransaction,
  project_id: string,
  after: QueuePosition,
): Promise<Blocked[]> {
  const { rows } = await sql<Blocked>`
    with heads as materialized (
      select 1 as lane, 'budget' as line, q.project_id, q.run_id, q.job_id, q.rank_at, q.turn_at from run_queue q
      where q.project_id = ${project_id} and ${BLOCKED}
        and (q.rank_at, q.run_id) > (${after.rank_at}::timestamptz, ${after.run_id}::uuid)
      order by q.rank_at, q.run_id limit ${PAGE} for update of q skip locked
    ),
    ${takeTurns(BLOCKED)},
    moved as (${writeRanks(sql`true`)})
    select q.run_id, q.rank_at::text, e.microusd from taken q, lateral (
      select ${ESTIMATE} as microusd from jobs j join projects p on p.id = j.project_id
      left join job_costs c on c.project_id = j.project_id and c.job_id = j.id
      where j.project_id = ${project_id} and j.id = q.job_id offset 0
    ) e
    order by q.rank_at, q.run_id`.execute(tx.db);
  return rows;
}

/** Blocks a run that has another reason on that reason instead. The caller holds the locks of the queue rows. */
export async function unblock(
  tx: Ctx & InTransaction,
  project_id: string,
  runs: readonly Blocked[],
): Promise<Admitted[]> {
  if (runs.length === 0) return [];
  const { rows } = await sql<Admitted>`
    update run_queue q set released_at = clock(), blocked_on = (
      select case when r.open_dependencies > 0 then 'dependency' when j.paused_at is not null then 'paused_job:' || q.job_id
        when q.run_at > clock() then 'not_due' end
      from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id
      where r.project_id = ${project_id} and r.id = q.run_id)
    where q.project_id = ${project_id} and q.run_id = any(${runs.map((run) => run.run_id)}::uuid[])
    returning q.project_id, q.job_id, q.host, q.rank_at, q.blocked_on`.execute(tx.db);
  wakeLanes(
    tx,
    rows.filter((run) => run.blocked_on === null),
  );
  return rows;
}

const PROJECTS = 1_000;

/** A project has a budget. Whether its runs wait for it is not checked here: there may be many budgets. */
export const HAS_BUDGETS = sql`exists (select b.project_id from project_budgets b)`;

/** Where the last pass stopped, in projects with more blocked runs than one pass reads. */
const cursorsOf = perService(() => new Map<string, QueuePosition>());

/**
 * The fallback timer of budgets: covers new periods, manual changes, and work that a lost instance left. Few projects
 * have a budget; each costs one read of the first blocked runs.
 */
export async function admitAllBlocked(ctx: Ctx): Promise<boolean> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await sql<{ project_id: string; has_blocked: boolean }>`
      /* prepared */
      select b.project_id, coalesce((
        select true from run_queue q where q.project_id = b.project_id and q.blocked_on = 'budget' limit 1), false) as has_blocked
      from project_budgets b where b.project_id > ${after}::uuid order by b.project_id limit ${sql.lit(PROJECTS)}`.execute(
      ctx.db,
    );
    for (const { project_id } of rows.filter((row) => row.has_blocked)) await admitOf(ctx, project_id);
    const last = rows.at(-1);
    if (!last || rows.length < PROJECTS) return false;
    after = last.project_id;
  }
}

async function admitOf(ctx: Ctx, project_id: string): Promise<void> {
  const cursors = cursorsOf(ctx);
  const next = await admitBlocked(ctx, project_id, cursors.get(project_id));
  if (next) cursors.set(project_id, next);
  else cursors.delete(project_id);
}

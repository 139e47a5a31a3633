import type { RunBlocker } from "@millrace/contract/runs/run-explanation";
import { type Budget, readBudget, roomIn } from "../../../flow/budget/lock-budgets.ts";
import { ESTIMATE } from "../../../flow/budget/reserve-budget.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { formatUsd } from "../../../platform/format-usd.ts";
import type { Facts } from "./explain-facts.ts";

type Needs = { estimate: number; is_unrecorded: boolean };

/**
 * For a run that is blocked on the budget, or would be once resumed: the budget's state, what the run needs, and the
 * request that unblocks it. Other runs hold a reservation or started before there was a budget.
 */
export async function budgetOf(ctx: ProjectCtx, facts: Facts): Promise<RunBlocker[]> {
  const { status, blocked_on, run_id, job_id, moved_at } = facts;
  const isBlocked = blocked_on === "budget";
  if (!isBlocked && status !== "paused") return [];
  const [budget, needs] = [await readBudget(ctx, ctx.project_id), await readNeeds(ctx, run_id, job_id)];
  const { monthly_budget_microusd, action, settled_microusd, reserved_microusd, period_ends_at } = budget;
  const room = roomIn(budget);
  const evidence = { monthly_budget_microusd, action, settled_microusd, reserved_microusd, ...needs, period_ends_at };
  const held = { code: "budget", since: isBlocked ? moved_at : null, evidence } as const;
  if (needs.is_unrecorded || room === undefined || room >= needs.estimate)
    return isBlocked ? [{ ...held, ...inProgress(needs) }] : [];
  return [
    {
      ...held,
      message: `The budget of ${formatUsd(monthly_budget_microusd ?? 0)} a month has ${formatUsd(Math.max(0, room))} left, and the run is expected to cost ${formatUsd(needs.estimate)}.`,
      until: needs.estimate + reserved_microusd <= (monthly_budget_microusd ?? 0) ? period_ends_at : null,
      remedy: remedyOf(budget, needs.estimate),
    },
  ];
}

/** It is unblocked automatically within a second. */
function inProgress({ is_unrecorded }: Needs): Pick<RunBlocker, "message" | "until" | "remedy"> {
  const message = is_unrecorded
    ? "The cost of the last attempt is being recorded; then the budget is checked for the next one."
    : "The budget has room for the run, and it is being unblocked.";
  return { message, until: null, remedy: { message: "Wait a few seconds." } };
}

function remedyOf({ thresholds, settled_microusd, reserved_microusd }: Budget, estimate: number): RunBlocker["remedy"] {
  const monthly_budget_microusd = settled_microusd + reserved_microusd + estimate;
  return {
    message: "Raise the budget, or wait for the next month.",
    request: {
      method: "PUT",
      path: "/v1/project-budget",
      body: { monthly_budget_microusd, action: "block", thresholds },
    },
  };
}

async function readNeeds(ctx: ProjectCtx, run_id: string, job_id: string): Promise<Needs> {
  const { rows } = await sql<Needs>`
    select ${ESTIMATE} as estimate, exists (
      select 1 from budget_reservations h where h.project_id = ${ctx.project_id} and h.run_id = ${run_id}) as is_unrecorded
    from jobs j join projects p on p.id = j.project_id
    left join job_costs c on c.project_id = j.project_id and c.job_id = j.id
    where j.project_id = ${ctx.project_id} and j.id = ${job_id}`.execute(ctx.db);
  return rows[0] ?? { estimate: 0, is_unrecorded: false };
}

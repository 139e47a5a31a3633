import type { SdkUsage, SdkUsageBody } from "@millrace/contract/runs/sdk-records";
import { appendRunRows } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { formatUsd } from "../../../platform/format-usd.ts";
import { newId } from "../../../platform/ids.ts";
import { notifyEnded } from "./after-runs-ended.ts";
import { lockLiveRun } from "./fence.ts";
import { type ReportedCost, reportCost } from "./report-cost.ts";
import { tryReportEnd } from "./report-end.ts";

type StoredUsage = { id: string; created_at: string };

/**
 * Stores the usage first, whatever its cost, then fails a run that exceeds its maximum. If this instance crashes in
 * between, the next report still finds it over its budget.
 */
export async function recordUsage(ctx: RunCtx, body: SdkUsageBody): Promise<SdkUsage> {
  const { stored, ...recorded } = await recordUsages(ctx, [body]);
  return { ...(stored[0] as StoredUsage), ...recorded };
}

/** Many reports of one run, in one transaction. */
export async function recordUsages(ctx: RunCtx, bodies: readonly SdkUsageBody[]) {
  const added = bodies.reduce((sum, { cost_microusd = 0 }) => sum + cost_microusd, 0);
  const { stored, cost } = await inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const stored = await insertUsages(tx, bodies);
    return { stored, cost: await reportCost(tx, Math.min(added, Number.MAX_SAFE_INTEGER)) };
  });
  const over_budget = exceedsMaxCost(cost);
  if (over_budget) {
    const message = `The run has cost ${formatUsd(cost.cost_microusd)}; its maximum is ${formatUsd(cost.max_cost_microusd ?? 0)}.`;
    await tryReportEnd(ctx, { kind: "failed", error: { code: "max_cost_exceeded", message }, retryable: false });
    notifyEnded(ctx, [ctx]);
  }
  return { stored, cost_microusd: cost.cost_microusd, over_budget };
}

function exceedsMaxCost({ cost_microusd, max_cost_microusd }: ReportedCost): boolean {
  return max_cost_microusd !== null && cost_microusd > max_cost_microusd;
}

async function insertUsages(ctx: RunCtx & InTransaction, bodies: readonly SdkUsageBody[]): Promise<StoredUsage[]> {
  const given = bodies.map((body) => ({ ...body, id: newId() }));
  const { rows } = await sql<StoredUsage>`
    with used as (
      insert into run_usage (project_id, run_id, id, attempt, provider, model, input_tokens, output_tokens,
        cost_microusd, metadata, created_at)
      select ${ctx.project_id}, ${ctx.run_id}, g.id, ${ctx.attempt}, g.provider, g.model, g.input_tokens, g.output_tokens,
        coalesce(g.cost_microusd, 0), g.metadata, clock()
      from json_to_recordset(${JSON.stringify(given)}::json) as g(
        id uuid, provider text, model text, input_tokens bigint, output_tokens bigint, cost_microusd bigint, metadata jsonb)
      returning project_id, run_id, id, created_at
    ),
    ${appendRunRows("run_usage", sql`used`)}
    select id, created_at from used`.execute(ctx.db);
  changesAppended(ctx, "run_usage");
  return rows;
}

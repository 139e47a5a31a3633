import { type RawBuilder, sql } from "kysely";
import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { unread } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { noneIfUnread, refuseUnread, removedSince } from "../reports/refuse-unread.ts";
import { COSTS_KEPT } from "./costs-grains.ts";
import { type CostDay, endOf, recountCostDay, startOf } from "./recount-cost-day.ts";
import { setCostDay } from "./set-cost-day.ts";

const DAY_MS = 86_400_000;

/**
 * A safety net for the cost rollups: recounts one day of one project from the logs, and repairs differences in its
 * minutes, hours and day. Each pass picks another day at random. Every difference is counted, and there should be none.
 */
export async function reconcileCosts(ctx: Ctx, checked?: CostDay): Promise<boolean> {
  const chosen = checked ?? (await drawDay(ctx));
  if (!chosen) return false;
  const repaired = await inTransaction(ctx, async (tx) => {
    const position = await holdCursor(tx);
    if (position === undefined) return 0;
    const found = await recountCostDay(tx, chosen);
    await refuseUnread(tx, unreadOf(chosen, position));
    return found ? setCostDay(tx, chosen, found) : 0;
  }).catch(noneIfUnread);
  if (repaired > 0) {
    ctx.metrics.repairs.inc({ kind: "cost_rollup" }, repaired);
    ctx.log.warn({ ...chosen, repaired }, "cost rollups differed from a recount and were repaired");
  }
  return false;
}

/** The time of a random transition in the last days picks the day, so busy projects are checked more often. */
async function drawDay(ctx: Ctx): Promise<CostDay | undefined> {
  const from_ms = ctx.watch.nowMs() - Math.random() * (COSTS_KEPT.minutes_days - 2) * DAY_MS;
  const [from, to] = [new Date(from_ms).toISOString(), new Date(from_ms + DAY_MS / 24).toISOString()];
  const { rows } = await sql<{ project_id: string; created_at: string }>`
    select t.project_id, t.created_at from run_history t
    where t.project_id is not null and t.created_at >= ${from}::timestamptz and t.created_at < ${to}::timestamptz
      and t.from_status = 'running'
    limit 1`.execute(ctx.db);
  const [move] = rows;
  return move && { project_id: move.project_id, day: move.created_at.slice(0, 10) };
}

/** The consumer pauses while its cursor is locked, so the rollups contain exactly what it has read. */
async function holdCursor(tx: Ctx & InTransaction): Promise<number | undefined> {
  const { rows } = await sql<{ position: number }>`
    select position from log_cursors where consumer = ${SUMS_CONSUMER} for update`.execute(tx.db);
  return rows[0]?.position;
}

function unreadOf({ project_id, day }: CostDay, position: number): RawBuilder<unknown> {
  const isOfDay = sql`u.project_id = ${project_id} and u.created_at >= ${startOf(day)} and u.created_at < ${endOf(day)}`;
  return sql`
    select 1 from ${unread("run", position)} where ${isOfDay}
    union all
    select 1 from ${unread("run_usage", position)} where ${isOfDay}
    union all ${removedSince(project_id, startOf(day))}`;
}

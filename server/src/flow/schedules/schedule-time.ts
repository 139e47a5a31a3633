import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { nextFire } from "../../platform/time/cron.ts";
import type { ScheduleRow } from "./schedule-rows.ts";

type Times = Pick<ScheduleRow, "cron" | "timezone">;

/**
 * When a schedule fires next after it was changed. A new expression or zone counts from now; otherwise the time stays,
 * so that a time due right now is not skipped because another field was saved.
 */
export async function timeAfterChange(ctx: Ctx, before: ScheduleRow, after: Times): Promise<string | null> {
  if (before.paused_at !== null) return null;
  if (before.cron === after.cron && before.timezone === after.timezone) return before.next_fire_at;
  return timeFromNow(ctx, after);
}

export async function timeFromNow(ctx: Ctx, { cron, timezone }: Times): Promise<string | null> {
  const { rows } = await sql<{ now: string }>`select clock() as now`.execute(ctx.db);
  return nextFire(cron, timezone, rows[0]?.now ?? "");
}

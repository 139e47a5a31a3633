import type { Ctx } from "@millrace/server/src/platform/context.ts";
import { sql } from "@millrace/server/src/platform/database/sql.ts";

/** When the next time-driven change is due: a retry, the end of a sleep or a wait, a schedule, a deadline. */
export async function nextDueMs(ctx: Ctx): Promise<number | undefined> {
  const { rows } = await sql<{ ms: string | null }>`
    select extract(epoch from least(
      (select min(run_at) from run_queue where blocked_on = 'not_due'),
      (select min(expires_at) from run_queue where expires_at is not null and lease_until is null),
      (select min(lease_until) from run_queue where accepted_at is not null),
      (select min(next_at) from rate_windows),
      (select min(expires_at) from event_triggers where status = 'waiting'),
      (select min(next_fire_at) from schedules where paused_at is null),
      (select min(scheduled_at) from workflow_runs where status = 'pending' and blocked_on is null),
      (select min(deadline) from workflow_runs where status = 'running'),
      (select min(next_attempt_at) from webhook_deliveries where status = 'pending'),
      (select min(probe_at) from circuits where status = 'open'),
      (select min(unreachable_until) from run_queue where unreachable_until is not null and lease_until is null)
    )) * 1000 as ms`.execute(ctx.db);
  const ms = rows[0]?.ms;
  return ms === null || ms === undefined ? undefined : Number(ms);
}

/** Whether a run or workflow run has ended or was deleted. */
export async function hasEnded(ctx: Ctx, id: string): Promise<boolean> {
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (select 1 from runs where id = ${id} and finished_at is null)
      or exists (select 1 from workflow_runs where id = ${id} and finished_at is null) as is_open`.execute(ctx.db);
  return rows[0]?.is_open !== true;
}

import type { UpcomingFires, UpcomingFiresQuery } from "@millrace/contract/jobs/schedules";
import { visibleSchedule } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { firesAfter } from "../../platform/time/cron.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";

const MAX_SCHEDULES = 200;
const MAX_TIMES = 200;
const HOUR_MS = 3_600_000;

type Active = { id: string; cron: string; timezone: string; next_fire_at: string; now: string };

/** The fire times of active schedules within some hours from now, computed from their expressions. */
export async function listUpcomingFires(ctx: ProjectCtx, query: UpcomingFiresQuery): Promise<UpcomingFires> {
  const { now, schedules } = await listActive(ctx, query.schedule_id);
  const to = new Date(Date.parse(now) + (query.hours ?? 168) * HOUR_MS).toISOString();
  const data: UpcomingFires["data"] = [];
  for (const { id, cron, timezone } of schedules) {
    await yieldToEventLoop();
    const times = timesUntil(firesAfter(cron, timezone, now), to);
    if (times.length === 0) continue;
    data.push({ schedule_id: id, fire_times: times.slice(0, MAX_TIMES), has_more: times.length > MAX_TIMES });
  }
  return { from: now, to, data };
}

/** One more than are listed, which shows whether there are more. */
function timesUntil(fires: Iterable<string>, to: string): string[] {
  const times: string[] = [];
  for (const at of fires) {
    if (at >= to || times.length > MAX_TIMES) break;
    times.push(at);
  }
  return times;
}

async function listActive(ctx: ProjectCtx, id: string | undefined): Promise<{ now: string; schedules: Active[] }> {
  const only = id === undefined ? sql`` : sql`and s.id = ${id}`;
  const { rows } = await sql<Active | { now: string; id: null }>`
    select c.now, s.id, s.cron, s.timezone
    from (select clock() as now) c left join lateral (
      select s.id, s.cron, s.timezone, s.next_fire_at from schedules s
      where s.project_id = ${ctx.project_id} and s.paused_at is null and s.next_fire_at is not null
        and ${visibleSchedule(ctx, "s")} ${only}
      order by s.next_fire_at, s.id limit ${MAX_SCHEDULES}) s on true
    order by s.next_fire_at, s.id`.execute(ctx.db);
  return { now: rows[0]?.now ?? "", schedules: rows.filter((row): row is Active => row.id !== null) };
}

import { type RawBuilder, sql } from "kysely";
import type { ProjectCtx } from "../../../platform/context.ts";
import { exactSum } from "../costs/cost-sums.ts";
import type { Range } from "./range.ts";

export type Busy = {
  wall_ms: number;
  busy_ms: number;
  dispatches: number;
  compute_microusd: number;
  longest_ms: number;
  dispatch_reported_microusd: number;
};

/** One of the three is set (outcome, job or time); none is set on the total. */
export type BusySums = Busy & { outcome: string | null; job_id: string | null; starts_at: string | null };

/** How dispatches ended: by outcome, by job, by time and in total, in one query. */
export async function sumBusy(
  ctx: ProjectCtx,
  rows: RawBuilder<unknown>,
  { bucket_ms, from }: Range,
): Promise<BusySums[]> {
  const { rows: sums } = await sql<BusySums>`
    with found as materialized (
      select c.name as outcome, c.job_id,
        date_bin(${bucket_ms} * interval '1 millisecond', c.starts_at, ${from}::timestamptz)::timestamptz(3) as starts_at,
        c.wall_ms, c.busy_ms, c.dispatches, c.compute_microusd, c.longest_ms, c.dispatch_reported_microusd
      ${rows} and c.part = 'named'
    )
    select c.outcome, c.job_id, c.starts_at, ${exactSum(sql`c.wall_ms`)} as wall_ms,
      ${exactSum(sql`c.busy_ms`)} as busy_ms, ${exactSum(sql`c.dispatches`)} as dispatches,
      ${exactSum(sql`c.compute_microusd`)} as compute_microusd, coalesce(max(c.longest_ms), 0) as longest_ms,
      ${exactSum(sql`c.dispatch_reported_microusd`)} as dispatch_reported_microusd
    from found c group by grouping sets ((), (c.outcome), (c.job_id), (c.starts_at))`.execute(ctx.db);
  return sums;
}

export type JobLimit = { id: string; slug: string; max_concurrency: number | null };

export async function readJobLimits(ctx: ProjectCtx, ids: readonly string[]): Promise<Map<string, JobLimit>> {
  const { rows } = await sql<JobLimit>`
    select j.id, j.slug, j.max_concurrency from jobs j
    where j.project_id = ${ctx.project_id} and j.id = any(${ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

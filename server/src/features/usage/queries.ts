import { sql } from "kysely";
import { PERIOD } from "../../flow/budget/lock-budgets.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import type { Page } from "../../platform/listing/page.ts";

/** `created_at` and `id` are the sort key of a page. */
export type UsageRow = {
  created_at: string;
  id: string;
  period_starts_at: string;
  period_ends_at: string;
  is_current: boolean;
  completed: number;
  failed: number;
  timed_out: number;
  canceled: number;
  dispatches: number;
  compute_ms: number;
  compute_microusd: number;
  reported_microusd: number;
  input_tokens: number;
  output_tokens: number;
  updated_at: string | null;
};

const AMOUNTS = sql`u.completed, u.failed, u.timed_out, u.canceled, u.dispatches, u.compute_ms, u.compute_microusd,
  u.reported_microusd, u.input_tokens, u.output_tokens, u.updated_at`;

const PERIOD_OF = sql`u.created_at, u.id, u.created_at as period_starts_at,
  (u.created_at at time zone 'UTC' + interval '1 month') at time zone 'UTC' as period_ends_at,
  u.created_at = ${PERIOD} as is_current`;

export async function listUsage(ctx: ProjectCtx, page: Page): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    select ${PERIOD_OF}, ${AMOUNTS}
    from (
      select u.*, u.period_starts_at as created_at, u.project_id as id from usage_periods u
      where u.project_id = ${ctx.project_id}
    ) u
    where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Usage of the current period, or of the one that starts then; all zeros if there is none. */
export async function readUsage(ctx: Ctx, project_id: string, period_starts_at?: string): Promise<UsageRow> {
  const period = period_starts_at === undefined ? PERIOD : sql`${period_starts_at}::timestamptz(3)`;
  const { rows } = await sql<UsageRow>`
    select ${PERIOD_OF}, coalesce(u.completed, 0) as completed, coalesce(u.failed, 0) as failed,
      coalesce(u.timed_out, 0) as timed_out, coalesce(u.canceled, 0) as canceled, coalesce(u.dispatches, 0) as dispatches,
      coalesce(u.compute_ms, 0) as compute_ms, coalesce(u.compute_microusd, 0) as compute_microusd,
      coalesce(u.reported_microusd, 0) as reported_microusd, coalesce(u.input_tokens, 0) as input_tokens,
      coalesce(u.output_tokens, 0) as output_tokens, u.updated_at
    from (
      select u.*, g.id, g.created_at from (select ${project_id}::uuid as id, ${period} as created_at) g
      left join usage_periods u on u.project_id = g.id and u.period_starts_at = g.created_at
    ) u`.execute(ctx.db);
  if (!rows[0]) throw new Error("a left join returned no row");
  return rows[0];
}

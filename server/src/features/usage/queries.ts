import type { UsagePeriod } from "@millrace/contract/analytics/usage";
import { PERIOD } from "../../flow/budget/lock-budgets.ts";
import type { Caller, Ctx, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
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

export function presentUsage(row: UsageRow): UsagePeriod {
  const { completed, failed, timed_out, canceled, compute_ms, compute_microusd, reported_microusd } = row;
  const { period_starts_at, period_ends_at, is_current, dispatches, input_tokens, output_tokens, updated_at } = row;
  return {
    period_starts_at,
    period_ends_at,
    is_current,
    runs: { total: completed + failed + timed_out + canceled, completed, failed, timed_out, canceled },
    dispatches,
    compute_seconds: compute_ms / 1_000,
    compute_microusd,
    reported_microusd,
    cost_microusd: Math.min(compute_microusd + reported_microusd, Number.MAX_SAFE_INTEGER),
    input_tokens,
    output_tokens,
    updated_at,
  };
}

const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/** The owner of the preferences: each key, each member and the internal secret has one row. */
export function recipientOf(caller: Caller): string {
  if (caller.kind === "api_key") return `key:${caller.key_id}`;
  return caller.kind === "member" ? `member:${caller.subject}` : "internal";
}

/** A member's address comes from the token, if it is valid. */
export function ownEmail(caller: Caller): string | null {
  return caller.kind === "member" && caller.email !== null && EMAIL.test(caller.email) ? caller.email : null;
}

/**
 * True if the owner of preferences `p` still has access: a key that is neither revoked nor expired, a member of the
 * project, the internal secret. Without access, an owner could not even unsubscribe.
 */
export const STILL_HAS_ACCESS: Sql<boolean> = sql`(
  p.caller = 'internal'
  or exists (select 1 from api_keys k where k.project_id = p.project_id and 'key:' || k.id = p.caller
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock()))
  or exists (select 1 from members m where m.project_id = p.project_id and 'member:' || m.subject = p.caller))`;

import type { Scope } from "@millrace/contract/access/scopes";
import { tokenLimitsOf } from "../../../platform/access/credentials/token-limits.ts";
import { ofEnvironment } from "../../../platform/access/environments.ts";
import { readAccess } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { type Bucket, HOUR_MS, type Range, readRange, refuseExpired } from "./range.ts";
import { GRAINS, HOURS_KEPT_DAYS, MINUTES_KEPT_DAYS, type Series } from "./series.ts";

type Requested = { from?: string; to?: string; bucket?: Bucket; environment_id?: string };

/** What a query may read: the range and series, and which of their rows the caller may see. */
export type Reader<S extends Series> = {
  /** Includes every policy that denies reading the counted resources. */
  ctx: ProjectCtx;
  series: S;
  range: Range;
  /** The finest grain that the range is made of. */
  finest: number;
  /** A condition on the rows of `u`. */
  seen: Sql;
  /** The caller may not see everything: sums over all subjects are built from the visible ones. */
  isRestricted: boolean;
};

/**
 * The table whose access rules apply to the rows, and the actions that must not be denied in addition to reading
 * analytics.
 */
const ACCESSED_AS = {
  runs: { table: "runs", actions: ["runs:read", "jobs:read"] },
  errors: { table: "runs", actions: ["runs:read", "jobs:read"] },
  workflows: { table: "workflow_runs", actions: ["runs:read", "workflows:read"] },
  events: { table: "event_triggers", actions: ["events:read"] },
  webhooks: { table: "webhook_deliveries", actions: ["webhooks:read"] },
} as const satisfies Record<Series, { table: string; actions: Scope[] }>;

/**
 * Access to a rollup row is decided as for a run of its job with the job's tags and no others: a caller who may not
 * see such a run does not see its numbers either.
 */
export async function openReader<S extends Series>(
  ctx: ProjectCtx,
  series: S,
  requested: Requested,
  accessedAs: Series = series,
): Promise<Reader<S>> {
  const range = readRange(ctx, requested);
  refuseExpired(ctx, range, { minutes_days: MINUTES_KEPT_DAYS, hours_days: HOURS_KEPT_DAYS });
  const { table, actions } = ACCESSED_AS[accessedAs];
  const restricted = await withDenies(ctx, actions);
  return {
    ...{ ctx: restricted, series, range },
    finest: range.bucket_ms < HOUR_MS ? GRAINS.minute : range.bucket_ms / 1_000,
    seen: sql`${visible(restricted, table, "u")} ${ofEnvironment(ctx, "u", requested.environment_id)}`,
    isRestricted: (restricted.access?.policies.length ?? 0) > 0 || tokenLimitsOf(ctx.caller) !== undefined,
  };
}

async function withDenies(ctx: ProjectCtx, actions: readonly Scope[]): Promise<ProjectCtx> {
  if (!ctx.access) return ctx;
  const all = await Promise.all(actions.map((action) => readAccess(ctx, ctx.caller, ctx.project_id, action)));
  const denies = all.flatMap(({ policies }) => policies.filter(({ effect }) => effect === "deny"));
  return { ...ctx, access: { ...ctx.access, policies: [...ctx.access.policies, ...denies] } };
}

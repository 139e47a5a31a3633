import { tokenLimitsOf } from "../../../platform/access/credentials/token-limits.ts";
import { ofEnvironment } from "../../../platform/access/environments.ts";
import { readAccess } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import type { Grain } from "./costs-period.ts";

export type CostFilter = { environment_id?: string; job_id?: string };
type Span = { from: string; to: string; grain: Grain };

/** The rollup rows that the caller may see; every cost query selects from them. */
export type CostRows = (kinds: readonly string[], span: Span) => Sql;

/**
 * Hides the cost of runs that the caller may not read, as far as sums allow: by environment, by job, by the job's tags,
 * and in sums by tag also by that tag.
 */
export async function costRows(ctx: ProjectCtx, filter: CostFilter): Promise<CostRows> {
  const reader = await withRunDenies(ctx);
  const isUnder = (reader.access?.policies.length ?? 0) > 0 || tokenLimitsOf(reader.caller) !== undefined;
  const seen = isUnder ? visible(reader, "runs", "r") : visible(reader, "runs", "c");
  return (kinds, { from, to, grain }) => sql`
    from cost_rollups c ${isUnder ? AS_RUNS : sql``}
    where c.project_id = ${ctx.project_id} and c.kind = any(${kinds}) and c.grain = ${grain}
      and c.starts_at >= ${from}::timestamptz and c.starts_at < ${to}::timestamptz
      and ${seen} ${ofEnvironment(ctx, "c", filter.environment_id)} ${jobNamed(ctx, filter.job_id)}`;
}

const AS_RUNS = sql`
  cross join lateral (
    select null::uuid as id, null::uuid as workflow_run_id, c.environment_id, c.job_id,
      coalesce((select j.tags from jobs j where j.project_id = c.project_id and j.id = c.job_id), '{}')
        || case when c.kind = 'tag' and c.part = 'named' then jsonb_build_object(c.name, c.value) else '{}' end as tags
    offset 0
  ) r`;

/** A policy that denies reading runs or their jobs also denies reading their sums. */
export async function withRunDenies(ctx: ProjectCtx): Promise<ProjectCtx> {
  if (!ctx.access) return ctx;
  const actions = ["runs:read", "jobs:read"] as const;
  const all = await Promise.all(actions.map((action) => readAccess(ctx, ctx.caller, ctx.project_id, action)));
  const denies = all.flatMap(({ policies }) => policies.filter(({ effect }) => effect === "deny"));
  return { ...ctx, access: { ...ctx.access, policies: [...ctx.access.policies, ...denies] } };
}

function jobNamed(ctx: ProjectCtx, ref: string | undefined): Sql {
  if (ref === undefined) return sql``;
  if (isId(ref)) return sql`and c.job_id = ${ref}`;
  return sql`and c.job_id = (
    select j.id from jobs j where j.project_id = ${ctx.project_id} and j.slug = ${ref} and j.deleted_at is null)`;
}

export async function sumTotal(ctx: ProjectCtx, rows: Sql): Promise<Costs> {
  const { rows: sums } = await sql<Costs>`select ${COST_SUMS} ${rows}`.execute(ctx.db);
  if (!sums[0]) throw new Error("the sum query returned no row");
  return sums[0];
}

/** By time, oldest first; times without cost are omitted. */
export async function sumByTime(
  ctx: ProjectCtx,
  rows: Sql,
  { bucket_ms, from }: { bucket_ms: number; from: string },
): Promise<(Costs & { starts_at: string })[]> {
  const { rows: sums } = await sql<Costs & { starts_at: string }>`
    select date_bin(${bucket_ms} * interval '1 millisecond', c.starts_at, ${from}::timestamptz)::timestamptz(3) as starts_at,
      ${COST_SUMS} ${rows}
    group by 1 order by 1`.execute(ctx.db);
  return sums;
}

export type GroupSums = Costs & {
  kind: string;
  part: string;
  name: string;
  value: string;
  /** How many groups of this kind there are. */
  groups: number;
};

/** The most expensive groups of each kind; with `tag_key`, tags are limited to the values of that key. */
export async function sumByGroup(
  ctx: ProjectCtx,
  rows: Sql,
  { max, tag_key }: { max: number; tag_key: string | undefined },
): Promise<GroupSums[]> {
  const ofTag = tag_key === undefined ? sql`` : sql`and (c.kind <> 'tag' or c.name = ${tag_key})`;
  const { rows: sums } = await sql<GroupSums>`
    select * from (
      select s.*, row_number() over (partition by s.kind order by s.total_microusd desc, s.name, s.value) as nth,
        count(*) over (partition by s.kind)::int as groups
      from (select c.kind, c.part, c.name, c.value, ${COST_SUMS} ${rows} ${ofTag}
        group by c.kind, c.part, c.name, c.value) s
      where s.part <> 'other'
    ) s
    where s.nth <= ${max} order by s.kind, s.nth`.execute(ctx.db);
  return sums;
}

export type PlaceSums = Costs & { job_id: string | null; environment_id: string | null };

/** By job, then by environment. */
export async function sumByPlace(ctx: ProjectCtx, rows: Sql, max: number): Promise<PlaceSums[]> {
  const { rows: sums } = await sql<PlaceSums>`
    select * from (
      select s.*, row_number() over (partition by s.job_id is null order by s.total_microusd desc, s.job_id, s.environment_id) as nth
      from (select c.job_id, c.environment_id, ${COST_SUMS} ${rows} group by grouping sets ((c.job_id), (c.environment_id))) s
    ) s
    where s.nth <= ${max} order by s.nth`.execute(ctx.db);
  return sums;
}

/** Costs recorded in a range. All amounts are whole micro-USD; a sum beyond the largest exact number is capped there. */
export type Costs = {
  total_microusd: number;
  reported_microusd: number;
  compute_microusd: number;
  wall_ms: number;
  dispatches: number;
  reports: number;
  input_tokens: number;
  output_tokens: number;
};

export const NOTHING: Costs = {
  ...{ total_microusd: 0, reported_microusd: 0, compute_microusd: 0, wall_ms: 0 },
  ...{ dispatches: 0, reports: 0, input_tokens: 0, output_tokens: 0 },
};

export const COST_NAMES = Object.keys(NOTHING) as (keyof Costs)[];

/** The sums of rows `c` of `cost_rollups`. */
export const COST_SUMS = sql`
  ${exactSum(sql`c.reported_microusd`, sql`c.compute_microusd`)} as total_microusd,
  ${exactSum(sql`c.reported_microusd`)} as reported_microusd, ${exactSum(sql`c.compute_microusd`)} as compute_microusd,
  ${exactSum(sql`c.wall_ms`)} as wall_ms, ${exactSum(sql`c.dispatches`)} as dispatches,
  ${exactSum(sql`c.reports`)} as reports, ${exactSum(sql`c.input_tokens`)} as input_tokens,
  ${exactSum(sql`c.output_tokens`)} as output_tokens`;

/** Sums one column, or several. Each is summed separately: adding them row by row takes twice as long. */
export function exactSum(...columns: Sql[]): Sql {
  const sums = columns.map((column) => sql`coalesce(sum(${column}), 0)`);
  return sql`least(${sql.join(sums, sql` + `)}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

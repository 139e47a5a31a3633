import type { CostReport } from "@millrace/contract/analytics/cost-report";
import { visible, visibleSchedule } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { COST_NAMES, type Costs, type GroupSums, type PlaceSums } from "./cost-queries.ts";

type Grouping = CostReport["jobs"];
export type Group = Grouping["groups"][number];
export type Groupings = Pick<
  CostReport,
  "jobs" | "environments" | "workflows" | "tags" | "concurrency_keys" | "created_by" | "schedules" | "models"
>;

export type Sums = {
  total: Costs;
  places: readonly PlaceSums[];
  groups: readonly GroupSums[];
  /** The values of one tag key do not overlap; those of several keys do. */
  isByTagKey: boolean;
};

/** Sums under display names; each grouping has a remainder that completes the total. */
export async function groupCosts(ctx: ProjectCtx, sums: Sums): Promise<Groupings> {
  const { total, places, groups, isByTagKey } = sums;
  const nameOf = await readNames(ctx, idsOf(sums));
  const of = (kind: string) => groups.filter((group) => group.kind === kind);
  const whole = (rows: (Group | undefined)[]) => withRest(total, rows);
  const tags = of("tag").map(textGroup);
  return {
    jobs: whole(places.flatMap((each) => (each.job_id === null ? [] : idGroup(nameOf, each.job_id, each)))),
    environments: whole(
      places.flatMap((each) => (each.environment_id === null ? [] : idGroup(nameOf, each.environment_id, each))),
    ),
    workflows: whole(of("workflow").map((each) => named(nameOf, each))),
    tags: isByTagKey ? whole(tags) : { groups: tags, other: null },
    concurrency_keys: whole(of("concurrency_key").map(textGroup)),
    created_by: whole(of("created_by").map(textGroup)),
    schedules: whole(of("schedule").map((each) => named(nameOf, each))),
    models: whole(of("model").map(textGroup)),
  };
}

function idsOf({ places, groups }: Sums) {
  const named = (kind: string) =>
    groups.filter((group) => group.kind === kind && group.part === "named").map((group) => group.name);
  return {
    jobs: places.flatMap(({ job_id }) => job_id ?? []),
    environments: places.flatMap(({ environment_id }) => environment_id ?? []),
    workflows: named("workflow"),
    schedules: named("schedule"),
  };
}

function named(nameOf: NameOf, sums: GroupSums): Group | undefined {
  return sums.part === "named" ? idGroup(nameOf, sums.name, sums) : textGroup(sums);
}

/** Groups that may not be shown become part of the remainder. */
function idGroup(nameOf: NameOf, id: string, sums: Costs): Group | undefined {
  const name = nameOf(id);
  return name === undefined ? undefined : { id, name, value: null, ...costsOf(sums) };
}

function textGroup(sums: GroupSums): Group {
  const { part, name, value } = sums;
  return { id: null, name: part === "named" ? name : null, value: value === "" ? null : value, ...costsOf(sums) };
}

function withRest(total: Costs, rows: readonly (Group | undefined)[]): Grouping {
  const groups = rows.filter((group) => group !== undefined);
  const other = costsOf(total);
  for (const group of groups) for (const name of COST_NAMES) other[name] -= group[name];
  return { groups, other };
}

function costsOf(sums: Costs): Costs {
  return Object.fromEntries(COST_NAMES.map((name) => [name, sums[name]])) as Costs;
}

/** The display name of a resource. Undefined: it may not be shown. Null: it was deleted. */
type NameOf = (id: string) => string | null | undefined;

type Row = { id: string; name: string; is_shown: boolean };
type Ids = Record<"jobs" | "environments" | "workflows" | "schedules", readonly string[]>;

/** Reads the names of the resources that costs are grouped by, as far as the caller may see them. */
async function readNames(ctx: ProjectCtx, ids: Ids): Promise<NameOf> {
  const { rows } = await sql<Row>`
    select j.id, j.slug as name, true as is_shown from jobs j
    where j.project_id = ${ctx.project_id} and j.id = any(${ids.jobs}::uuid[])
    union all
    select e.id, e.slug, ${visible(ctx, "environments", "e")} from environments e
    where e.project_id = ${ctx.project_id} and e.id = any(${ids.environments}::uuid[])
    union all
    select w.id, w.slug, ${visible(ctx, "workflows", "w")} from workflows w
    where w.project_id = ${ctx.project_id} and w.id = any(${ids.workflows}::uuid[])
    union all
    select s.id, coalesce(s.name, s.cron), ${visibleSchedule(ctx, "s")} from schedules s
    where s.project_id = ${ctx.project_id} and s.id = any(${ids.schedules}::uuid[])`.execute(ctx.db);
  const found = new Map(rows.map((row) => [row.id, row]));
  return (id) => {
    const row = found.get(id);
    if (!row) return null;
    return row.is_shown ? row.name : undefined;
  };
}

import type { CostReport, CostsQuery } from "@millrace/contract/analytics/cost-report";
import { MAX_GROUPS } from "@millrace/contract/analytics/grouped";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import type { Range } from "../reports/range.ts";
import { fillTimes } from "../reports/series.ts";
import { COST_NAMES, COST_SUMS, type CostRows, type Costs, type GroupSums, NOTHING } from "./cost-queries.ts";
import type { Group, Groupings } from "./costs-groups.ts";

type By = NonNullable<CostsQuery["group_by"]>;

/** A chart of hours would be empty, as if nothing had been spent. */
export function refuseFineGroups({ group_by, bucket = "1d" }: CostsQuery): void {
  if (group_by === undefined || bucket === "1d") return;
  throw invalid("query.bucket", `must be 1d with group_by: costs by ${group_by} are only kept by the day`, bucket);
}

type Grouped = {
  by: By;
  rows: CostRows;
  points: Range;
  /** What the report lists: no other groups are shown over time. */
  groupings: Groupings;
  groups: readonly GroupSums[];
};

/** The listed groups of one kind, day by day. */
export async function groupOverTime(
  ctx: ProjectCtx,
  { by, rows, points, groupings, groups }: Grouped,
): Promise<CostReport["grouped"]> {
  const read = groups.filter(({ kind }) => kind === by);
  const listed = groupings[LISTS[by]].groups;
  const shown = listed.slice(0, MAX_GROUPS);
  const has_more = listed.length > shown.length || (read[0]?.groups ?? 0) > read.length;
  if (shown.length === 0) return { groups: [], has_more };
  const { rows: sums } = await sql<Costs & { starts_at: string; nth: number }>`
    select s.starts_at, g.nth, ${SUM_NAMES}
    from (
      select c.starts_at, c.part, c.name, c.value, ${COST_SUMS} ${rows([by], { ...points, grain: "1d" })}
      group by c.starts_at, c.part, c.name, c.value
    ) s
    join json_to_recordset(${JSON.stringify(shown.map(keyOf))}::json) as g(nth int, part text, name text, value text)
      using (part, name, value)`.execute(ctx.db);
  const daysOf = shown.map((_, nth) => sums.filter((sum) => sum.nth === nth).map(({ nth: _nth, ...sum }) => sum));
  return {
    groups: shown.map(({ id, name, value }, nth) => {
      return { id, name, value, buckets: fillTimes(points, daysOf[nth] ?? [], NOTHING) };
    }),
    has_more,
  };
}

const LISTS = {
  tag: "tags",
  model: "models",
  created_by: "created_by",
  workflow: "workflows",
  schedule: "schedules",
  concurrency_key: "concurrency_keys",
} as const satisfies Record<By, keyof Groupings>;

const SUM_NAMES = sql.join(COST_NAMES.map((name) => sql.ref(`s.${name}`)));

/** The columns of a group's rows, from its display. */
function keyOf({ id, name, value }: Group, nth: number) {
  const part = id === null && name === null ? "none" : "named";
  return { nth, part, name: id ?? name ?? "", value: value ?? "" };
}

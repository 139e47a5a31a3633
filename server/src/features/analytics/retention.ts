import { sql } from "../../platform/database/sql.ts";
import { daysAgo, type RetentionEntry } from "../../platform/retention/retention-entry.ts";
import { COSTS_KEPT } from "./costs/costs-period.ts";
import { GRAINS, HOURS_KEPT_DAYS, MINUTES_KEPT_DAYS, SPLITS } from "./reports/series.ts";

const PAGE = 2_000;

/** How long an error group that no longer occurs is kept. */
const GROUPS_KEPT_DAYS = 400;

/** Days are kept forever. */
export const analyticsRetention: RetentionEntry[] = [
  rollupsOf("minute", MINUTES_KEPT_DAYS),
  rollupsOf("hour", HOURS_KEPT_DAYS),
  {
    name: "error_groups",
    table: "error_groups",
    at: "last_seen_at",
    before: () => daysAgo(GROUPS_KEPT_DAYS),
    page: PAGE,
  },
  costsOf("1m", COSTS_KEPT.minutes_days),
  costsOf("1h", COSTS_KEPT.hours_days),
];

function rollupsOf(grain: "minute" | "hour", days: number): RetentionEntry {
  const series = Object.entries(SPLITS).flatMap(([name, splits]) => splits.map((split) => ({ series: name, split })));
  return {
    name: `rollups_${grain}`,
    table: "rollups",
    at: "bucket_at",
    before: () => daysAgo(days),
    through: sql`projects p cross join json_to_recordset(${JSON.stringify(series)}::json) as s(series text, split text)`,
    where: sql`t.project_id = p.id and t.series = s.series and t.split = s.split and t.grain = ${GRAINS[grain]}::int`,
    page: PAGE,
    everyMs: 600_000, // each pass looks up every series of every project
  };
}

function costsOf(grain: "1m" | "1h", days: number): RetentionEntry {
  return {
    name: `cost_rollups_${grain}`,
    table: "cost_rollups",
    at: "starts_at",
    before: () => daysAgo(days),
    through: sql`projects p`,
    where: sql`t.project_id = p.id and t.kind = 'job' and t.grain = ${grain}`,
    page: PAGE,
  };
}

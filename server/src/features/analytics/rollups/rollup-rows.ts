import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Durations } from "../reports/distribution.ts";
import type { Reader } from "../reports/open-reader.ts";
import { COUNTS, type Counts, type Segment, type Series, type Split, segmentsOf } from "../reports/series.ts";

export type Read<S extends Series> = {
  split: Split<S>;
  /** The columns to group by; without any, there is one group. */
  by?: readonly ("time" | "subject" | "environment" | "part")[];
  /** Only these subjects: one job, or the requested workflows. */
  subject_ids?: readonly string[];
  parts?: readonly string[];
  /** A range other than that of the query. */
  segments?: readonly Segment[];
  /** With many rows, the durations are most of the bytes read. */
  withoutDurations?: boolean;
};

export type Sums<S extends Series> = {
  starts_at: string | null;
  subject_id: string;
  environment_id: string;
  part: string;
  counts: Counts<S>;
  durations: Durations;
};

/** The rows `u` that the query covers and the caller may see, as the tail of a statement. */
export function requestedRows<S extends Series>(reader: Reader<S>, read: Read<S>): Sql {
  const { ctx, series, seen } = reader;
  const { split, subject_ids, parts } = read;
  return sql`
    from json_to_recordset(${JSON.stringify(spans(reader, read))}::json) as s(grain int, "from" timestamptz(3), "to" timestamptz(3))
    cross join lateral (
      select r.*, ${reader.isRestricted ? restrictedColumns(series) : PLAIN_COLUMNS} from rollups r
      where r.project_id = ${ctx.project_id} and r.series = ${series} and r.split = ${split} and r.grain = s.grain
        and r.bucket_at >= s."from" and r.bucket_at < s."to"
        ${subject_ids ? sql`and r.subject_id = any(${subject_ids}::uuid[])` : sql``}
        ${parts ? sql`and r.part = any(${parts}::text[])` : sql``}
      offset 0
    ) u
    where ${seen}`;
}

function spans<S extends Series>({ range, finest }: Reader<S>, { segments }: Read<S>): object[] {
  return (segments ?? segmentsOf(range.from_ms, range.to_ms, finest)).map((each) => ({
    grain: each.grain,
    from: new Date(each.from_ms).toISOString(),
    to: new Date(each.to_ms).toISOString(),
  }));
}

/** The columns that `visible` may use in addition to the environment. */
function restrictedColumns(series: Series): Sql {
  const owner = series === "workflows" ? sql`workflows` : sql`jobs`;
  return sql`r.subject_id as id, r.subject_id as job_id, r.subject_id as workflow_id, null::uuid as workflow_run_id,
    null::uuid as job_run_id,
    coalesce((select o.tags from ${owner} o where o.project_id = r.project_id and o.id = r.subject_id), '{}') as tags`;
}

const PLAIN_COLUMNS = sql`null::uuid as id`;

/** Copied from an object with all names: objects of one shape are read and copied much faster. */
export function named<S extends Series>(series: S, counts: ArrayLike<number>): Counts<S> {
  const found: Record<string, number> = { ...NOTHING[series] };
  const names = COUNTS[series];
  for (let index = 0; index < counts.length && index < names.length; index++)
    found[names[index] ?? ""] = counts[index] ?? 0;
  return found as Counts<S>;
}

const NOTHING = Object.fromEntries(
  Object.entries(COUNTS).map(([series, names]) => [series, Object.fromEntries(names.map((name) => [name, 0]))]),
) as Record<Series, Record<string, number>>;

import { type RawBuilder, sql } from "kysely";
import { type Distribution, distributionOf } from "./distribution.ts";
import type { Reader } from "./open-reader.ts";
import { type Segment, segmentsOf } from "./segments.ts";
import { COUNTS, type Counts, NIL_ID, type Series, type Split } from "./series.ts";

export type Read<S extends Series> = {
  split: Split<S>;
  /** By what the rows are kept apart; without any, all become one. */
  by?: readonly ("time" | "subject" | "environment" | "part")[];
  /** Only these: one job, the workflows that were asked for. */
  subject_ids?: readonly string[];
  /** Another time than that of the question. */
  segments?: readonly Segment[];
};

export type Sums<S extends Series> = {
  starts_at: string | null;
  subject_id: string;
  environment_id: string;
  part: string;
  counts: Counts<S>;
  durations: Distribution;
};

type Row = Omit<Sums<Series>, "counts" | "durations"> & { counts: number[]; packed: Buffer | null };

/** Sums of roll-ups that the caller may see. Buckets without any are not there. */
export async function readRollups<S extends Series>(reader: Reader<S>, read: Read<S>): Promise<Sums<S>[]> {
  const { ctx, series, range, seen } = reader;
  const { split, by = [], subject_ids } = read;
  const time = sql`date_bin(${range.bucket_ms} * interval '1 millisecond', u.bucket_at, 'epoch'::timestamptz)::timestamptz(3)`;
  const columns = {
    time: by.includes("time") ? time : sql`null`,
    subject: by.includes("subject") ? sql`u.subject_id` : sql`${NIL_ID}::uuid`,
    environment: by.includes("environment") ? sql`u.environment_id` : sql`${NIL_ID}::uuid`,
    part: by.includes("part") ? sql`u.part` : sql`''`,
  };
  const { rows } = await sql<Row>`
    select ${columns.time} as starts_at, ${columns.subject} as subject_id, ${columns.environment} as environment_id,
      ${columns.part} as part, ${sumsOf(series)} as counts,
      string_agg(int4send(length(u.sketch)) || u.sketch, '') as packed
    from json_to_recordset(${JSON.stringify(spans(reader, read))}::json) as s(grain int, "from" timestamptz(3), "to" timestamptz(3))
    cross join lateral (
      select r.*, ${reader.isRestricted ? judgedColumns(series) : PLAIN_COLUMNS} from rollups r
      where r.project_id = ${ctx.project_id} and r.series = ${series} and r.split = ${split} and r.grain = s.grain
        and r.bucket_at >= s."from" and r.bucket_at < s."to"
        ${subject_ids ? sql`and r.subject_id = any(${subject_ids}::uuid[])` : sql``}
      offset 0
    ) u
    where ${seen}
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4`.execute(ctx.db);
  return rows.map(({ counts, packed, ...row }) => ({
    ...row,
    counts: named(series, counts),
    durations: distributionOf(unpack(packed)),
  }));
}

function spans<S extends Series>(reader: Reader<S>, { by = [], segments }: Read<S>): object[] {
  const { range, finest } = reader;
  const { from_ms, to_ms } = range;
  const some =
    segments ?? (by.includes("time") ? [{ grain: finest, from_ms, to_ms }] : segmentsOf(from_ms, to_ms, finest));
  return some.map((each) => ({
    grain: each.grain,
    from: new Date(each.from_ms).toISOString(),
    to: new Date(each.to_ms).toISOString(),
  }));
}

/** Which columns `visible` may ask for, when it asks for more than the environment. */
function judgedColumns(series: Series): RawBuilder<unknown> {
  const owner = series === "workflows" ? sql`workflows` : sql`jobs`;
  return sql`r.subject_id as id, r.subject_id as job_id, r.subject_id as workflow_id, null::uuid as workflow_run_id,
    null::uuid as job_run_id,
    coalesce((select o.tags from ${owner} o where o.project_id = r.project_id and o.id = r.subject_id), '{}') as tags`;
}

const PLAIN_COLUMNS = sql`null::uuid as id`;

function sumsOf(series: Series): RawBuilder<unknown> {
  const sums = COUNTS[series].map((_, nth) => sql`sum(u.counts[${sql.lit(nth + 1)}])`);
  return sql`array[${sql.join(sums)}]::float8[]`;
}

export function named<S extends Series>(series: S, counts: readonly number[]): Counts<S> {
  return Object.fromEntries(COUNTS[series].map((name, nth) => [name, counts[nth] ?? 0])) as Counts<S>;
}

/** Sketches one after the other, each behind its length: an array of them would be read letter by letter. */
function unpack(packed: Buffer | null): Buffer[] {
  const sketches: Buffer[] = [];
  for (let at = 0; packed && at < packed.length; ) {
    const end = at + 4 + packed.readInt32BE(at);
    sketches.push(packed.subarray(at + 4, end));
    at = end;
  }
  return sketches;
}

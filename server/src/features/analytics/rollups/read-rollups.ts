import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { Reader } from "../reports/open-reader.ts";
import { readBuckets } from "../reports/read-buckets.ts";
import { COUNTS, NIL_ID, type Series } from "../reports/series.ts";
import { named, type Read, requestedRows, type Sums } from "./rollup-rows.ts";

type Row = Omit<Sums<Series>, "starts_at" | "counts" | "durations"> & { counts: number[]; packed: Buffer | null };

/** Sums of the rollups that the caller may see. Empty buckets are omitted. */
export function readRollups<S extends Series>(reader: Reader<S>, read: Read<S>): Promise<Sums<S>[]> {
  return read.by?.includes("time") ? readBuckets(reader, read) : readSums(reader, read);
}

/** Over a whole range: the database computes the sum. */
async function readSums<S extends Series>(reader: Reader<S>, read: Read<S>): Promise<Sums<S>[]> {
  const { ctx, series } = reader;
  const { by = [], withoutDurations } = read;
  const columns = {
    subject: by.includes("subject") ? sql`u.subject_id` : sql`${NIL_ID}::uuid`,
    environment: by.includes("environment") ? sql`u.environment_id` : sql`${NIL_ID}::uuid`,
    part: by.includes("part") ? sql`u.part` : sql`''`,
  };
  const { rows } = await sql<Row>`
    select ${columns.subject} as subject_id, ${columns.environment} as environment_id, ${columns.part} as part,
      ${sumsOf(series)} as counts,
      ${withoutDurations ? sql`null::bytea` : sql`string_agg(int4send(length(u.sketch)) || u.sketch, '')`} as packed
    ${requestedRows(reader, read)}
    group by 1, 2, 3
    order by 1, 2, 3`.execute(ctx.db);
  return rows.map(({ counts, packed, ...row }) => ({
    ...{ ...row, starts_at: null, counts: named(series, counts), durations: unpack(packed) },
  }));
}

function sumsOf(series: Series): Sql {
  const sums = COUNTS[series].map((_, index) => sql`sum(u.counts[${sql.lit(index + 1)}])`);
  return sql`array[${sql.join(sums)}]::float8[]`;
}

/** Splits concatenated sketches, each after its length: an array of them would be parsed character by character. */
function unpack(packed: Buffer | null): Buffer[] {
  const sketches: Buffer[] = [];
  for (let at = 0; packed && at < packed.length; ) {
    const end = at + 4 + packed.readInt32BE(at);
    sketches.push(packed.subarray(at + 4, end));
    at = end;
  }
  return sketches;
}

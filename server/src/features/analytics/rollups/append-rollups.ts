import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { COUNTS, type Series } from "../reports/series.ts";
import { inChunks } from "./in-chunks.ts";
import { AGAIN, mergeEncoded, writeSketch } from "./sketch.ts";
import type { Rollup, Row } from "./tallies.ts";

/** A histogram shorter than this need not be packed. */
const SHORT = 192;

/**
 * Adds rows of one series to the stored rows in one statement without reading them: it sums counts and appends
 * histograms, and packs a histogram again once it has doubled in size since it was last packed.
 */
export async function appendRollups(tx: Ctx & InTransaction, rows: readonly Row[]): Promise<void> {
  const series = seriesOf(rows);
  const { rollups, sketches, columns } = packed(rows);
  const { rows: long } = await sql<UnpackedRow>`
    /* prepared */
    with written as (
      insert into rollups as r (project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch,
        sketch_packed)
      select p.project_id, ${sql.lit(series)}, p.split, g.grain, to_timestamp(g.at_s), p.subject_id, p.environment_id, p.part,
        array[${countColumns(series)}], g.sketch, coalesce(length(g.sketch), 0)
      from (
        select u.*, case when u.size > 0 then substring(${sketches}::bytea from u.begins + 1 for u.size) end as sketch
        from unnest(${columns.rollup}::int[], ${columns.grain}::int[], ${columns.at_s}::bigint[], ${columns.begins}::int[],
          ${columns.size}::int[], ${sql.join(columns.counts.map((column) => sql`${column}::bigint[]`))})
          as u(rollup, grain, at_s, begins, size, ${countNames(series)})
      ) g
      join unnest(${rollups.project_id}::uuid[], ${rollups.split}::text[], ${rollups.subject_id}::uuid[],
        ${rollups.environment_id}::uuid[], ${rollups.part}::text[])
        with ordinality as p(project_id, split, subject_id, environment_id, part, nth) on p.nth = g.rollup
      on conflict (project_id, series, split, grain, bucket_at, subject_id, environment_id, part) do update set
        counts = array[${countSums(series)}],
        sketch = case when r.sketch is null then excluded.sketch when excluded.sketch is null then r.sketch
          else r.sketch || ${AGAIN}::bytea || excluded.sketch end,
        sketch_packed = case when r.sketch is null then excluded.sketch_packed else r.sketch_packed end
      returning r.project_id, r.split, r.grain, r.bucket_at, r.subject_id, r.environment_id, r.part, r.sketch, r.sketch_packed
    )
    select w.* from written w where length(w.sketch) > 2 * w.sketch_packed + ${SHORT}::int`.execute(tx.db);
  if (long.length > 0) await packSketches(tx, series, long);
}

/** Rows written before a count was added to the series do not have that count. */
function countSums(series: Series): Sql {
  return sql.join(
    COUNTS[series].map((_, nth) => {
      const at = sql.lit(nth + 1);
      return sql`coalesce(r.counts[${at}], 0) + excluded.counts[${at}]`;
    }),
  );
}

function countColumns(series: Series): Sql {
  return sql.join(COUNTS[series].map((name) => sql.ref(`g.c_${name}`)));
}

function countNames(series: Series): Sql {
  return sql.join(COUNTS[series].map((name) => sql.ref(`c_${name}`)));
}

function seriesOf(rows: readonly Row[]): Series {
  if (!rows[0]) throw new Error("no rows");
  return rows[0].rollup.series;
}

/**
 * Packs rows as columns, with each rollup key once. Numbers are joined into text here because the driver escapes lists
 * element by element; all histograms go into one byte string.
 */
function packed(rows: readonly Row[]) {
  const rollups = new Map<Rollup, number>();
  for (const { rollup } of rows) if (!rollups.has(rollup)) rollups.set(rollup, rollups.size + 1);
  const bytes: number[] = [];
  const begins = rows.map(({ sketch }) => {
    const begin = bytes.length;
    if (sketch) writeSketch(bytes, sketch);
    return begin;
  });
  return {
    rollups: columnsOf([...rollups.keys()]),
    sketches: Buffer.from(bytes),
    columns: {
      ...{
        rollup: listOf(rows.map(({ rollup }) => rollups.get(rollup) ?? 0)),
        grain: listOf(rows.map(({ grain }) => grain)),
      },
      ...{ at_s: listOf(rows.map(({ at_s }) => at_s)), begins: listOf(begins) },
      size: listOf(begins.map((begin, nth) => (begins[nth + 1] ?? bytes.length) - begin)),
      counts: COUNTS[seriesOf(rows)].map((_, nth) => listOf(rows.map(({ counts }) => counts[nth] ?? 0))),
    },
  };
}

function columnsOf(rollups: readonly Rollup[]) {
  return {
    project_id: rollups.map((each) => each.project_id),
    split: rollups.map((each) => each.split),
    subject_id: rollups.map((each) => each.subject_id),
    environment_id: rollups.map((each) => each.environment_id),
    part: rollups.map((each) => each.part),
  };
}

function listOf(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

/** A row whose histogram was appended to. */
type UnpackedRow = {
  project_id: string;
  split: string;
  grain: number;
  bucket_at: string;
  subject_id: string;
  environment_id: string;
  part: string;
  sketch: Buffer;
};

const CHUNK = 100;

/** Packs histograms: the same counts, with each bin listed once. */
export async function packSketches(
  tx: Ctx & InTransaction,
  series: Series,
  rows: readonly UnpackedRow[],
): Promise<void> {
  const ordered = await inChunks(rows, CHUNK, ({ sketch, ...key }) => ({
    ...key,
    sketch: mergeEncoded(sketch, new Map()).toString("hex"),
  }));
  await sql`
    /* prepared */
    update rollups r set sketch = decode(g.sketch, 'hex'), sketch_packed = length(g.sketch) / 2
    from json_to_recordset(${JSON.stringify(ordered)}::json) as g(
      project_id uuid, split text, grain int, bucket_at timestamptz(3), subject_id uuid, environment_id uuid, part text,
      sketch text)
    where r.project_id = g.project_id and r.series = ${sql.lit(series)} and r.split = g.split and r.grain = g.grain
      and r.bucket_at = g.bucket_at and r.subject_id = g.subject_id and r.environment_id = g.environment_id
      and r.part = g.part and ${fewRows("g.split")}`.execute(tx.db);
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { encodeSketch, mergeEncoded } from "./sketch.ts";
import type { Row } from "./tallies.ts";

type Stored = { nth: number; counts: number[]; sketch: Buffer | null };

/** Like `appendRollups`, but for subtracting from histograms: it reads rows, adds to them and writes them back. */
export async function mergeRollups(tx: Ctx & InTransaction, rows: readonly Row[]): Promise<void> {
  const stored = new Map((await readStored(tx, rows)).map((row) => [row.nth, row]));
  await write(
    tx,
    rows.map((row, nth) => sumOf(row, stored.get(nth))),
  );
}

function sumOf(row: Row, stored: Stored | undefined): object {
  const sketch = row.sketch ?? new Map();
  const bytes = stored?.sketch ? mergeEncoded(stored.sketch, sketch) : encodeSketch(sketch);
  return {
    ...keyOf(row),
    counts: row.counts.map((count, nth) => count + (stored?.counts[nth] ?? 0)),
    ...{ sketch: bytes.length === 0 ? null : bytes.toString("base64"), sketch_packed: bytes.length },
  };
}

function keyOf({ rollup, grain, at_s }: Row): object {
  const { project_id, series, split, subject_id, environment_id, part } = rollup;
  const bucket_at = new Date(at_s * 1_000).toISOString();
  return { project_id, series, split, grain, bucket_at, subject_id, environment_id, part };
}

async function readStored(tx: Ctx & InTransaction, rows: readonly Row[]): Promise<Stored[]> {
  const keys = rows.map((row, nth) => ({ nth, ...keyOf(row) }));
  const { rows: stored } = await sql<Stored>`
    /* prepared */
    select k.nth, r.counts, r.sketch
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(
      nth int, project_id uuid, series text, split text, grain int, bucket_at timestamptz(3), subject_id uuid,
      environment_id uuid, part text)
    cross join lateral (
      select array_to_json(r.counts) as counts, r.sketch from rollups r
      where r.project_id = k.project_id and r.series = k.series and r.split = k.split and r.grain = k.grain
        and r.bucket_at = k.bucket_at and r.subject_id = k.subject_id and r.environment_id = k.environment_id
        and r.part = k.part offset 0
    ) r
    where ${fewRows("k.split")}`.execute(tx.db);
  return stored;
}

async function write(tx: Ctx & InTransaction, rows: readonly object[]): Promise<void> {
  await sql`
    /* prepared */
    insert into rollups (
      project_id, series, split, grain, bucket_at, subject_id, environment_id, part, counts, sketch, sketch_packed)
    select g.project_id, g.series, g.split, g.grain, g.bucket_at, g.subject_id, g.environment_id, g.part, g.counts,
      decode(g.sketch, 'base64'), g.sketch_packed
    from json_to_recordset(${JSON.stringify(rows)}::json) as g(
      project_id uuid, series text, split text, grain int, bucket_at timestamptz(3), subject_id uuid,
      environment_id uuid, part text, counts bigint[], sketch text, sketch_packed int)
    on conflict (project_id, series, split, grain, bucket_at, subject_id, environment_id, part)
    do update set counts = excluded.counts, sketch = excluded.sketch, sketch_packed = excluded.sketch_packed`.execute(
    tx.db,
  );
}

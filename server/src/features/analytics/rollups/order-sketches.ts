import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import type { Series } from "../reports/series.ts";
import { inChunks } from "./in-chunks.ts";
import { mergeEncoded } from "./sketch.ts";

/** A row whose histogram was appended to. */
export type UnpackedRow = {
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

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { GRAINS, type Series, SPLITS } from "../reports/series.ts";
import { addRows } from "./add-rollups.ts";
import { addEncoded } from "./sketch.ts";
import { addBucket, bucketOf, isNothing, type RollupKey, rollupOf, rowsOf, type Tallies } from "./tallies.ts";

type Checked = { project_id: string; series: Series; minute: string };
type Stored = RollupKey & { grain: number; counts: number[]; sketch: Buffer | null };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * With the cursor of the series' writer locked, checks that the hour of a minute is the sum of its minutes, and its day
 * the sum of its hours. Returns the number of rows that differed.
 */
export async function reconcileSums(tx: Ctx & InTransaction, { minute, ...of }: Checked): Promise<number> {
  const at_ms = Date.parse(minute);
  const hour = { from_ms: Math.floor(at_ms / HOUR_MS) * HOUR_MS, length_ms: HOUR_MS };
  const day = { from_ms: Math.floor(at_ms / DAY_MS) * DAY_MS, length_ms: DAY_MS };
  const hours = await setSums(tx, of, { ...hour, fine: GRAINS.minute, coarse: GRAINS.hour });
  return hours + (await setSums(tx, of, { ...day, fine: GRAINS.hour, coarse: GRAINS.day }));
}

type Of = Omit<Checked, "minute">;
type Span = { from_ms: number; length_ms: number; fine: number; coarse: number };

async function setSums(tx: Ctx & InTransaction, of: Of, span: Span): Promise<number> {
  const { fine, coarse, from_ms } = span;
  const differences: Tallies = new Map();
  for (const row of await readSpan(tx, of, span)) {
    const sketch = row.sketch ? addEncoded(new Map(), row.sketch) : undefined;
    const sum = bucketOf(rollupOf(differences, row), coarse, from_ms / 1_000);
    addBucket(sum, { counts: row.counts, sketch }, row.grain === fine ? 1 : -1);
  }
  const wrong = [...rowsOf(differences.values())].filter((row) => !isNothing(row));
  await addRows(tx, wrong);
  return wrong.length;
}

async function readSpan(
  tx: Ctx & InTransaction,
  { project_id, series }: Of,
  { fine, coarse, from_ms, length_ms }: Span,
): Promise<Stored[]> {
  const [from, to] = [new Date(from_ms).toISOString(), new Date(from_ms + length_ms).toISOString()];
  const { rows } = await sql<Stored>`
    select r.* from unnest(${[...SPLITS[series]]}::text[]) as s(split)
    cross join unnest(${[fine, coarse]}::int[]) as g(grain)
    cross join lateral (
      select r.project_id, r.series, r.split, r.grain, r.subject_id, r.environment_id, r.part,
        array_to_json(r.counts) as counts, r.sketch
      from rollups r
      where r.project_id = ${project_id} and r.series = ${series} and r.split = s.split and r.grain = g.grain
        and r.bucket_at >= ${from} and r.bucket_at < ${to} offset 0
    ) r`.execute(tx.db);
  return rows;
}

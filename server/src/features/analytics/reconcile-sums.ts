import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { addPage, type Rollup } from "./add-rollups.ts";
import { GRAINS, SPLITS } from "./series.ts";
import { addEncoded, addSketch } from "./sketch.ts";

type Day = { project_id: string; minute: string };
type Stored = Omit<Rollup, "sketch"> & { sketch: Buffer | null };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Whether the hour of a minute is the sum of its minutes, and its day that of its hours. Answers how many rows were not. */
export async function reconcileSums(tx: Ctx & InTransaction, { project_id, minute }: Day): Promise<number> {
  const at_ms = Date.parse(minute);
  const hour = { from_ms: Math.floor(at_ms / HOUR_MS) * HOUR_MS, length_ms: HOUR_MS };
  const day = { from_ms: Math.floor(at_ms / DAY_MS) * DAY_MS, length_ms: DAY_MS };
  const hours = await setSums(tx, project_id, { ...hour, fine: GRAINS.minute, coarse: GRAINS.hour });
  return hours + (await setSums(tx, project_id, { ...day, fine: GRAINS.hour, coarse: GRAINS.day }));
}

type Span = { from_ms: number; length_ms: number; fine: number; coarse: number };

async function setSums(tx: Ctx & InTransaction, project_id: string, span: Span): Promise<number> {
  const { fine, coarse, from_ms } = span;
  const rows = await readSpan(tx, project_id, span);
  const bucket_at = new Date(from_ms).toISOString();
  const differences = new Map<string, Rollup>();
  for (const row of rows) {
    const { split, subject_id, environment_id, part } = row;
    const key = `${split} ${subject_id} ${environment_id} ${part}`;
    const made = { ...row, grain: coarse, bucket_at, counts: row.counts.map(() => 0), sketch: new Map() };
    const difference = differences.get(key) ?? made;
    differences.set(key, difference);
    const factor = row.grain === fine ? 1 : -1;
    row.counts.forEach((count, nth) => {
      difference.counts[nth] = (difference.counts[nth] ?? 0) + factor * count;
    });
    if (row.sketch) addSketch(difference.sketch, addEncoded(new Map(), row.sketch), factor);
  }
  const wrong = [...differences.values()].filter(
    ({ counts, sketch }) => sketch.size > 0 || counts.some((count) => count !== 0),
  );
  await addPage(tx, wrong);
  return wrong.length;
}

/** The series that is followed under the place that is held. Others are counted anew while they may change. */
async function readSpan(
  tx: Ctx & InTransaction,
  project_id: string,
  { fine, coarse, from_ms, length_ms }: Span,
): Promise<Stored[]> {
  const [from, to] = [new Date(from_ms).toISOString(), new Date(from_ms + length_ms).toISOString()];
  const { rows } = await sql<Stored>`
    select r.* from unnest(${[...SPLITS.runs]}::text[]) as s(split)
    cross join unnest(${[fine, coarse]}::int[]) as g(grain)
    cross join lateral (
      select r.project_id, r.series, r.split, r.grain, r.bucket_at, r.subject_id, r.environment_id, r.part,
        array_to_json(r.counts) as counts, r.sketch
      from rollups r
      where r.project_id = ${project_id} and r.series = 'runs' and r.split = s.split and r.grain = g.grain
        and r.bucket_at >= ${from} and r.bucket_at < ${to} offset 0
    ) r`.execute(tx.db);
  return rows;
}

import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { GRAINS, KEPT_FOR_EVER } from "../reports/series.ts";
import { appendRollups } from "./append-rollups.ts";
import { encodeSketch, mergeEncoded } from "./sketch.ts";
import { addBucket, bucketOf, type Rollup, type Row, rowsOf, type Tallies } from "./tallies.ts";

/** Rows per statement. The event loop runs between statements. */
const PAGE = 2_000;
/** Rollups whose rows are built without yielding to the event loop: each has three rows, or a few more. */
const ROLLUPS = 500;

/**
 * Adds counts to every bucket that contains them. The caller holds the cursor lock of this series, so it is the only
 * writer.
 */
export async function addRollups(tx: Ctx & InTransaction, tallies: Tallies): Promise<void> {
  const rollups = [...tallies.values()];
  for (let at = 0; at < rollups.length; at += ROLLUPS) {
    const some = rollups.slice(at, at + ROLLUPS);
    for (const rollup of some) coarsen(rollup);
    await addRows(tx, [...rowsOf(some)]);
  }
}

/** Adds rows to their own buckets only. */
export async function addRows(tx: Ctx & InTransaction, rows: readonly Row[]): Promise<void> {
  for (const some of groupBy(rows, ({ rollup }) => rollup.series).values()) {
    for (let at = 0; at < some.length; at += PAGE) await addPage(tx, some.slice(at, at + PAGE));
  }
}

async function addPage(tx: Ctx & InTransaction, rows: Row[]): Promise<void> {
  const less = rows.filter(isSubtraction);
  if (less.length > 0) await mergeRollups(tx, less);
  const more = less.length === 0 ? rows : rows.filter((row) => !isSubtraction(row));
  if (more.length > 0) await appendRollups(tx, more);
}

/** A histogram can be appended to without reading it, but subtracting from it needs a read. */
function isSubtraction({ sketch }: Row): boolean {
  for (const count of sketch?.values() ?? []) if (count < 0) return true;
  return false;
}

/** Builds hours from minutes and days from hours, so few rows are left to add. */
function coarsen(rollup: Rollup): void {
  const { series, split, buckets } = rollup;
  for (const [finer, grain] of STEPS) {
    for (const [at_s, bucket] of buckets.get(finer) ?? []) addBucket(bucketOf(rollup, grain, at_s), bucket);
  }
  if (!KEPT_FOR_EVER.has(`${series} ${split}`)) return;
  for (const [at_s, { counts }] of buckets.get(GRAINS.day) ?? [])
    addBucket(bucketOf(rollup, GRAINS.ever, at_s), { counts, sketch: undefined });
}

const STEPS = [
  [GRAINS.minute, GRAINS.hour],
  [GRAINS.hour, GRAINS.day],
] as const;

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

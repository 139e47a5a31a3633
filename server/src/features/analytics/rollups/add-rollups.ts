import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { GRAINS, KEPT_FOR_EVER } from "../reports/series.ts";
import { appendRollups } from "./append-rollups.ts";
import { mergeRollups } from "./merge-rollups.ts";
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
  const less = rows.filter(takesAway);
  if (less.length > 0) await mergeRollups(tx, less);
  const more = less.length === 0 ? rows : rows.filter((row) => !takesAway(row));
  if (more.length > 0) await appendRollups(tx, more);
}

/** A histogram can be appended to without reading it, but subtracting from it needs a read. */
function takesAway({ sketch }: Row): boolean {
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

import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { appendRollups } from "./append-rollups.ts";
import { mergeRollups } from "./merge-rollups.ts";
import { GRAINS, KEPT_FOR_EVER } from "./series.ts";
import { addBucket, bucketOf, type Place, type Row, rowsOf, type Tallies } from "./tallies.ts";

/** Rows of one statement. Node does something else between them. */
const PAGE = 2_000;
/** Places whose rows are made without a pause: one has three rows, or a few more. */
const PLACES = 500;

/**
 * Adds what was counted to all the buckets that it is part of. Whoever calls holds the place of the follower of this
 * series, and nobody else writes it.
 */
export async function addRollups(tx: Ctx & InTransaction, tallies: Tallies): Promise<void> {
  const places = [...tallies.values()];
  for (let at = 0; at < places.length; at += PLACES) {
    const some = places.slice(at, at + PLACES);
    for (const place of some) coarsen(place);
    await addRows(tx, [...rowsOf(some)]);
  }
}

/** The same for these buckets alone. */
export async function addRows(tx: Ctx & InTransaction, rows: readonly Row[]): Promise<void> {
  for (const some of groupBy(rows, ({ place }) => place.series).values()) {
    for (let at = 0; at < some.length; at += PAGE) await addPage(tx, some.slice(at, at + PAGE));
  }
}

async function addPage(tx: Ctx & InTransaction, rows: Row[]): Promise<void> {
  const less = rows.filter(takesAway);
  if (less.length > 0) await mergeRollups(tx, less);
  const more = less.length === 0 ? rows : rows.filter((row) => !takesAway(row));
  if (more.length > 0) await appendRollups(tx, more);
}

/** A histogram can be appended to, but not be taken away from without reading it. */
function takesAway({ sketch }: Row): boolean {
  for (const count of sketch?.values() ?? []) if (count < 0) return true;
  return false;
}

/** Hours are made of the minutes, days of the hours: by then there are few. */
function coarsen(place: Place): void {
  const { series, split, buckets } = place;
  for (const [finer, grain] of STEPS) {
    for (const [at_s, bucket] of buckets.get(finer) ?? []) addBucket(bucketOf(place, grain, at_s), bucket);
  }
  if (!KEPT_FOR_EVER.has(`${series} ${split}`)) return;
  for (const [at_s, { counts }] of buckets.get(GRAINS.day) ?? [])
    addBucket(bucketOf(place, GRAINS.ever, at_s), { counts, sketch: undefined });
}

const STEPS = [
  [GRAINS.minute, GRAINS.hour],
  [GRAINS.hour, GRAINS.day],
] as const;

import { COUNTS, type CountName, GRAINS, type Series, type Split } from "../reports/series.ts";
import { addSketch, type Sketch } from "./sketch.ts";

/** The columns that rollups are split by, without the time. */
export type RollupKey<S extends Series = Series> = {
  project_id: string;
  series: S;
  split: Split<S>;
  subject_id: string;
  environment_id: string;
  part?: string;
};

/** Amounts to add to the buckets of a rollup, by bucket length and start in seconds. */
export type Rollup = Required<RollupKey> & { buckets: Map<number, Map<number, Bucket>> };

/** The histogram is present when it is not empty. */
export type Bucket = { counts: number[]; sketch: Sketch | undefined };

export type Row = Bucket & { rollup: Rollup; grain: number; at_s: number };

/** Rollups are looked up by name once, and their many buckets by number. */
export type Tallies = Map<string, Rollup>;

export function rollupOf(tallies: Tallies, key: RollupKey): Rollup {
  const { project_id, series, split, subject_id, environment_id, part = "" } = key;
  const name = `${split} ${part} ${subject_id} ${environment_id} ${series} ${project_id}`;
  const found = tallies.get(name);
  if (found) return found;
  const made = { project_id, series, split, subject_id, environment_id, part, buckets: new Map() };
  tallies.set(name, made);
  return made;
}

export function bucketOf({ series, buckets }: Rollup, grain: number, at_s: number): Bucket {
  const some = buckets.get(grain) ?? new Map<number, Bucket>();
  if (some.size === 0) buckets.set(grain, some);
  const start_s = grain === GRAINS.ever ? 0 : at_s - (at_s % grain);
  const found = some.get(start_s);
  if (found) return found;
  const made = { counts: new Array<number>(COUNTS[series].length).fill(0), sketch: undefined };
  some.set(start_s, made);
  return made;
}

/** Adds, or subtracts with a factor of −1. */
export function addBucket(to: Bucket, { counts, sketch }: Bucket, factor: 1 | -1 = 1): void {
  for (let index = 0; index < counts.length; index++)
    to.counts[index] = (to.counts[index] ?? 0) + factor * (counts[index] ?? 0);
  if (!sketch || sketch.size === 0) return;
  to.sketch ??= new Map();
  addSketch(to.sketch, sketch, factor);
}

type Happened<S extends Series> = RollupKey<S> & { at_ms: number };
type Amounts<S extends Series> = { counts?: Partial<Record<CountName<S>, number>>; sketch?: Sketch };

/** Adds to the minute in which it happened. */
export function tally<S extends Series>(tallies: Tallies, key: Happened<S>, { counts, sketch }: Amounts<S>): void {
  const bucket = bucketOf(rollupOf(tallies, key), GRAINS.minute, Math.floor(key.at_ms / 1_000));
  const named: Partial<Record<string, number>> = counts ?? {};
  addBucket(bucket, { counts: COUNTS[key.series].map((name) => named[name] ?? 0), sketch });
}

export function* rowsOf(rollups: Iterable<Rollup>): Iterable<Row> {
  for (const rollup of rollups) {
    for (const [grain, some] of rollup.buckets) {
      for (const [at_s, { counts, sketch }] of some) yield { rollup, grain, at_s, counts, sketch };
    }
  }
}

/** Drops everything outside the range. */
export function keepTime(tallies: Tallies, from_ms: number, to_ms: number): void {
  for (const { rollup, grain, at_s } of [...rowsOf(tallies.values())])
    if (at_s * 1_000 < from_ms || at_s * 1_000 >= to_ms) rollup.buckets.get(grain)?.delete(at_s);
}

export function isNothing({ counts, sketch }: Bucket): boolean {
  return (sketch?.size ?? 0) === 0 && counts.every((count) => count === 0);
}

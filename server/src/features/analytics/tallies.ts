import { COUNTS, type CountName, type Series, type Split } from "./series.ts";
import { addSketch, type Sketch } from "./sketch.ts";

/** What is to be added to the roll-ups of one minute. */
export type Tally = {
  project_id: string;
  series: Series;
  split: string;
  /** Any instant of the minute, then its beginning. */
  at_ms: number;
  subject_id: string;
  environment_id: string;
  part: string;
  counts: number[];
  sketch: Sketch;
};

export type Tallies = Map<string, Tally>;

type Place<S extends Series> = {
  project_id: string;
  series: S;
  split: Split<S>;
  at_ms: number;
  subject_id: string;
  environment_id: string;
  part?: string;
};

type Amounts<S extends Series> = { counts?: Partial<Record<CountName<S>, number>>; sketch?: Sketch };

const MINUTE_MS = 60_000;

/** Adds to the minute in which it happened. */
export function tally<S extends Series>(tallies: Tallies, place: Place<S>, { counts = {}, sketch }: Amounts<S>): void {
  const at_ms = Math.floor(place.at_ms / MINUTE_MS) * MINUTE_MS;
  const found = rowAt(tallies, { part: "", ...place, at_ms });
  COUNTS[place.series].forEach((name, nth) => {
    found.counts[nth] = (found.counts[nth] ?? 0) + ((counts as Record<string, number>)[name] ?? 0);
  });
  if (sketch) addSketch(found.sketch, sketch);
}

/** Adds a row to those that have the same place, or takes it away from them. */
export function addTally(tallies: Tallies, { counts, sketch, ...place }: Tally, factor: 1 | -1 = 1): void {
  const found = rowAt(tallies, place);
  counts.forEach((count, nth) => {
    found.counts[nth] = (found.counts[nth] ?? 0) + factor * count;
  });
  addSketch(found.sketch, sketch, factor);
}

export function isNothing({ counts, sketch }: Tally): boolean {
  return sketch.size === 0 && counts.every((count) => count === 0);
}

function rowAt(tallies: Tallies, place: Omit<Tally, "counts" | "sketch">): Tally {
  const { project_id, series, split, at_ms, subject_id, environment_id, part } = place;
  const key = `${project_id} ${series} ${split} ${at_ms} ${subject_id} ${environment_id} ${part}`;
  const found = tallies.get(key);
  if (found) return found;
  const made = { ...place, counts: COUNTS[series].map(() => 0), sketch: new Map() };
  tallies.set(key, made);
  return made;
}

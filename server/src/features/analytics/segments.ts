import { GRAINS } from "./series.ts";

/** Buckets of one length, one after the other. */
export type Segment = { grain: number; from_ms: number; to_ms: number };

const COARSE_TO_FINE = [GRAINS.day, GRAINS.hour, GRAINS.minute];

/**
 * A time as the fewest buckets that make it up: whole days, the hours beside them, the minutes beside those. So a sum
 * over a month reads some hundred buckets and not forty thousand.
 */
export function segmentsOf(from_ms: number, to_ms: number, finest: number): Segment[] {
  return cover(
    from_ms,
    to_ms,
    COARSE_TO_FINE.filter((grain) => grain >= finest),
  );
}

function cover(from_ms: number, to_ms: number, [grain, ...finer]: number[]): Segment[] {
  if (grain === undefined || from_ms >= to_ms) return [];
  const size = grain * 1_000;
  const [first, last] = [Math.ceil(from_ms / size) * size, Math.floor(to_ms / size) * size];
  if (first >= last) return cover(from_ms, to_ms, finer);
  return [...cover(from_ms, first, finer), { grain, from_ms: first, to_ms: last }, ...cover(last, to_ms, finer)];
}

/** All that ever was. */
export const EVER: Segment[] = [{ grain: GRAINS.ever, from_ms: 0, to_ms: 1 }];

import { GRAINS } from "./series.ts";

/** Consecutive buckets of one length. */
export type Segment = { grain: number; from_ms: number; to_ms: number };

const COARSE_TO_FINE = [GRAINS.day, GRAINS.hour, GRAINS.minute];

/**
 * A range as the fewest buckets: whole days, then hours, then minutes at its ends. A sum over a month then reads some
 * hundred buckets instead of forty thousand.
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

/** All time. */
export const EVER: Segment[] = [{ grain: GRAINS.ever, from_ms: 0, to_ms: 1 }];

import type { Range } from "./range.ts";

/** The counts of each series, in the order of `rollups.counts`: add new ones at the end only. */
export const COUNTS = {
  runs: ["created", "completed", "failed", "timed_out", "canceled", "retried", "duration_ms"],
  workflows: ["started", "completed", "failed", "timed_out", "canceled", "retried", "duration_ms"],
  errors: ["runs", "attempts"],
  events: ["created", "received", "timed_out", "canceled", "dispatched", "rejected"],
  webhooks: ["attempts", "delivered", "refused", "retryable", "lost", "duration_ms"],
} as const;

export type Series = keyof typeof COUNTS;
export type CountName<S extends Series> = (typeof COUNTS)[S][number];
export type Counts<S extends Series> = Record<CountName<S>, number>;

/** The splits of each series. Rows of `all`, and of splits without a subject, have the nil id as subject. */
export const SPLITS = {
  runs: ["all", "job", "trigger", "job_trigger", "job_version", "wait", "job_wait"],
  workflows: ["all", "workflow", "workflow_version"],
  errors: ["group"],
  events: ["all", "job"],
  webhooks: ["endpoint"],
} as const satisfies Record<Series, readonly string[]>;
export type Split<S extends Series> = (typeof SPLITS)[S][number];

/** Stands for all subjects, or for no environment. */
export const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** Bucket lengths in seconds. `ever` is one bucket of all time, starting at the epoch. */
export const GRAINS = { minute: 60, hour: 3_600, day: 86_400, ever: 0 } as const;

/** How long buckets are kept, in days; days are kept forever. */
export const MINUTES_KEPT_DAYS = 8;
export const HOURS_KEPT_DAYS = 400;

/** The number of open runs is computed from everything that ever began and ended. */
export const KEPT_FOR_EVER: ReadonlySet<string> = new Set(["runs all", "runs job"]);

/** One row for each bucket of a range: the given rows, and `empty` for the others. */
export function fillTimes<T extends object>(
  { from_ms, to_ms, bucket_ms }: Range,
  rows: readonly (T & { starts_at: string })[],
  empty: T,
): (T & { starts_at: string })[] {
  const found = new Map(rows.map((row) => [Date.parse(row.starts_at), row]));
  const count = Math.ceil((to_ms - from_ms) / bucket_ms);
  return Array.from({ length: count }, (_, index) => {
    const at_ms = from_ms + index * bucket_ms;
    return found.get(at_ms) ?? { ...empty, starts_at: new Date(at_ms).toISOString() };
  });
}

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

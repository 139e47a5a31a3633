import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { parseInstant } from "../../../platform/time/instant.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const BUCKET_MS = { "1m": MINUTE_MS, "5m": 5 * MINUTE_MS, "1h": HOUR_MS, "1d": DAY_MS } as const;
export type Bucket = keyof typeof BUCKET_MS;

/** The most points a chart may have: the cost of a response grows with them. */
const MAX_BUCKETS = 1_500;

/** Later, the end of a bucket would be in the year 10000. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31);

export type Range = { from: string; to: string; from_ms: number; to_ms: number; bucket: Bucket; bucket_ms: number };

type Requested = { from?: string | undefined; to?: string | undefined; bucket?: Bucket | undefined };

/**
 * The range of a query in whole UTC buckets: its start is rounded down and its end up. The last 24 hours by default.
 */
export function readRange(ctx: ProjectCtx, requested: Requested, lastMs: number = DAY_MS): Range {
  const to_ms = requested.to === undefined ? ctx.watch.nowMs() : Date.parse(parseInstant("query.to", requested.to));
  const from_ms =
    requested.from === undefined ? to_ms - lastMs : Date.parse(parseInstant("query.from", requested.from));
  if (from_ms >= to_ms) throw invalid("query.from", "must be before `to`", requested.from ?? null);
  const bucket = requested.bucket ?? bucketFor(to_ms - from_ms);
  return inBuckets(from_ms, to_ms, bucket);
}

/** Days for which minutes and hours are kept. */
type RetentionDays = { minutes_days: number; hours_days: number };

/** Finer sums are removed after a while, and a chart of them would show nothing where there was something. */
export function refuseExpired(ctx: ProjectCtx, { bucket, bucket_ms, from_ms }: Range, kept: RetentionDays): void {
  const days = (bucket_ms < HOUR_MS ? kept.minutes_days : kept.hours_days) - 1;
  if (bucket_ms === DAY_MS || from_ms >= ctx.watch.nowMs() - days * DAY_MS) return;
  throw invalid("query.bucket", `is only kept for ${days} days; use a larger bucket`, bucket);
}

function bucketFor(ms: number): Bucket {
  if (ms <= HOUR_MS) return "1m";
  if (ms <= 6 * HOUR_MS) return "5m";
  return ms <= 3 * DAY_MS ? "1h" : "1d";
}

function inBuckets(requested_from_ms: number, requested_to_ms: number, bucket: Bucket): Range {
  const bucket_ms = BUCKET_MS[bucket];
  const from_ms = Math.floor(requested_from_ms / bucket_ms) * bucket_ms;
  const to_ms = Math.min(Math.ceil(requested_to_ms / bucket_ms) * bucket_ms, LAST_DAY_MS);
  if (from_ms >= to_ms) throw invalid("query.from", "must be before the last representable day", null);
  const count = (to_ms - from_ms) / bucket_ms;
  if (count > MAX_BUCKETS && bucket === "1d")
    throw invalid("query.from", `is ${count} days before the end, but the limit is ${MAX_BUCKETS}`, null);
  if (count > MAX_BUCKETS)
    throw invalid(
      "query.bucket",
      `gives ${count} points, but the limit is ${MAX_BUCKETS}; use a larger bucket`,
      bucket,
    );
  return {
    from: new Date(from_ms).toISOString(),
    to: new Date(to_ms).toISOString(),
    from_ms,
    to_ms,
    bucket,
    bucket_ms,
  };
}

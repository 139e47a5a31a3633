import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors.ts";
import { parseInstant } from "../../platform/instant.ts";

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const BUCKET_MS = { "1m": MINUTE_MS, "5m": 5 * MINUTE_MS, "1h": HOUR_MS, "1d": DAY_MS } as const;
export type Bucket = keyof typeof BUCKET_MS;

/** So many points a picture may have: what an answer costs grows with them. */
const MOST_BUCKETS = 1_500;

/** The end of a bucket of it would be in the year 10000. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31);

export type Range = { from: string; to: string; from_ms: number; to_ms: number; bucket: Bucket; bucket_ms: number };

type Asked = { from?: string | undefined; to?: string | undefined; bucket?: Bucket | undefined };

/**
 * The time that a question is about, in whole buckets of UTC: its begin is put back and its end put forward to the next
 * bound. The last 24 hours unless said otherwise.
 */
export function readRange(ctx: ProjectCtx, asked: Asked, lastMs: number = DAY_MS): Range {
  const to_ms = asked.to === undefined ? ctx.watch.nowMs() : Date.parse(parseInstant("query.to", asked.to));
  const from_ms = asked.from === undefined ? to_ms - lastMs : Date.parse(parseInstant("query.from", asked.from));
  if (from_ms >= to_ms) throw invalid("query.from", "must be before `to`", asked.from ?? null);
  const bucket = asked.bucket ?? bucketFor(to_ms - from_ms);
  return inBuckets(from_ms, to_ms, bucket);
}

/** Days for which minutes and hours are kept. */
type Kept = { minutes_days: number; hours_days: number };

/** Finer sums go after a while: a picture of them would show nothing where there was something. */
export function refuseForgotten(ctx: ProjectCtx, { bucket, bucket_ms, from_ms }: Range, kept: Kept): void {
  const days = (bucket_ms < HOUR_MS ? kept.minutes_days : kept.hours_days) - 1;
  if (bucket_ms === DAY_MS || from_ms >= ctx.watch.nowMs() - days * DAY_MS) return;
  throw invalid("query.bucket", `of so long ago larger ones are kept: ${bucket} goes back ${days} days`, bucket);
}

function bucketFor(ms: number): Bucket {
  if (ms <= HOUR_MS) return "1m";
  if (ms <= 6 * HOUR_MS) return "5m";
  return ms <= 3 * DAY_MS ? "1h" : "1d";
}

function inBuckets(asked_from_ms: number, asked_to_ms: number, bucket: Bucket): Range {
  const bucket_ms = BUCKET_MS[bucket];
  const from_ms = Math.floor(asked_from_ms / bucket_ms) * bucket_ms;
  const to_ms = Math.min(Math.ceil(asked_to_ms / bucket_ms) * bucket_ms, LAST_DAY_MS);
  if (from_ms >= to_ms) throw invalid("query.from", "must be before the last day that can be written", null);
  const count = (to_ms - from_ms) / bucket_ms;
  if (count > MOST_BUCKETS && bucket === "1d")
    throw invalid("query.from", `is ${count} days before the end, and ${MOST_BUCKETS} is the most`, null);
  if (count > MOST_BUCKETS)
    throw invalid(
      "query.bucket",
      `gives ${count} points, and ${MOST_BUCKETS} is the most: ask for larger ones`,
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

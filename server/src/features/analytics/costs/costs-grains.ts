import { type RawBuilder, sql } from "kysely";

export type Grain = "1m" | "1h" | "1d";

/** Length in seconds. */
export const GRAIN_SECS = { "1m": 60, "1h": 3_600, "1d": 86_400 } as const;

/** How long the finer sums are kept. Days are kept forever. */
export const COSTS_KEPT = { minutes_days: 8, hours_days: 100 } as const;

/** The length of the finest grain still kept for a minute. */
export function finestGrainSecs(at_s: number, now_ms: number): number {
  const age_days = (now_ms / 1_000 - at_s - GRAIN_SECS["1m"]) / GRAIN_SECS["1d"];
  if (age_days < COSTS_KEPT.minutes_days) return GRAIN_SECS["1m"];
  return age_days < COSTS_KEPT.hours_days ? GRAIN_SECS["1h"] : GRAIN_SECS["1d"];
}

/** The same as an SQL expression, for a time. */
export function finestOf(time: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${time} >= clock() - ${sql.lit(COSTS_KEPT.minutes_days)} * interval '1 day' then 60
    when ${time} >= clock() - ${sql.lit(COSTS_KEPT.hours_days)} * interval '1 day' then 3600 else 86400 end`;
}

/** The start, in seconds, of the bucket that contains a time. */
export function bucketAt(time: RawBuilder<unknown>, secs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(floor(extract(epoch from ${time})::float8 / ${secs})::bigint * ${secs})`;
}

export const DAY_SECS = sql.lit(GRAIN_SECS["1d"]);

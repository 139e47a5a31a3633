import { useCallback, useMemo, useState } from "react";
import { boundsOf } from "../../parts/filter/time-range.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

export type AnalyticsTime = { from: string; to?: string; environment_id?: string };

/** The time range of the URL (`since`) as query parameters. It moves on only with a refetch. */
export function useRange(fallback = "24h") {
  const [{ since = fallback }, change] = useSearchParams();
  const { environmentFilter } = usePlace();
  const [tick, setTick] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every refetch moves the end of the range to now
  const query = useMemo(() => timeOf(since, environmentFilter), [since, environmentFilter, tick]);
  const setSince = useCallback(
    (range: string | undefined) => change({ since: range === fallback ? undefined : range }),
    [change, fallback],
  );
  const zoom = useCallback((from: number, to: number) => change({ since: rangeText(from, to) }), [change]);
  const slide = useCallback(() => setTick((nth) => nth + 1), []);
  return { since, query, setSince, zoom, slide };
}

/** Formats epoch seconds as a range for the URL. */
export function rangeText(from: number, to: number): string {
  return `${new Date(from * 1_000).toISOString()}~${new Date(to * 1_000).toISOString()}`;
}

/**
 * The previous period of the same length. Its end is rounded to the minute, so that equal queries share a cache entry.
 */
export function timeBefore({ from, to, ...rest }: AnalyticsTime): AnalyticsTime {
  const begin = Date.parse(from);
  const end = to ? Date.parse(to) : Math.ceil(Date.now() / MINUTE) * MINUTE;
  return { ...rest, from: new Date(2 * begin - end).toISOString(), to: from };
}

/** Rounds `from` down to its bucket, as the service does, so that equal queries share a cache entry. */
function timeOf(since: string, environment: string | undefined): AnalyticsTime {
  const bounds = boundsOf(since) ?? boundsOf("24h") ?? { from: new Date(), to: new Date() };
  const length = bounds.to.getTime() - bounds.from.getTime();
  const step = length <= HOUR ? MINUTE : length <= 3 * DAY ? HOUR : DAY;
  const place = environment ? { environment_id: environment } : {};
  if (since.includes("~")) return { from: bounds.from.toISOString(), to: bounds.to.toISOString(), ...place };
  const begin = Math.floor(bounds.from.getTime() / step) * step + (step === MINUTE ? MINUTE : step);
  return { from: new Date(Math.min(begin, bounds.to.getTime() - MINUTE)).toISOString(), ...place };
}

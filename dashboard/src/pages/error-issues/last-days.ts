import type { ErrorIssue } from "@millrace/contract/alerts/error-issues";

type Day = ErrorIssue["trend"][number];

export const DAY_SECS = 86_400;

/** The last days (UTC) in seconds since the epoch, oldest first. The API lists only those that have failures. */
export function lastDays(trend: readonly Day[], count: number): { days: number[]; found: Map<number, Day> } {
  const today = Math.floor(Date.now() / 1_000 / DAY_SECS) * DAY_SECS;
  return {
    days: Array.from({ length: count }, (_, nth) => today - (count - 1 - nth) * DAY_SECS),
    found: new Map(trend.map((day) => [Date.parse(day.starts_at) / 1_000, day])),
  };
}

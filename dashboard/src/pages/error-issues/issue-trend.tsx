import type { ErrorIssueDetail } from "@millrace/contract/alerts/error-issues";
import { useMemo } from "react";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";

const DAYS = 30;
const DAY_SECS = 86_400;

/** Failures by day (UTC). The API lists only days that have some. */
export function IssueTrend({ issue: { trend } }: { issue: ErrorIssueDetail }) {
  const { times, series } = useMemo(() => {
    const today = Math.floor(Date.now() / 1_000 / DAY_SECS) * DAY_SECS;
    const days = Array.from({ length: DAYS }, (_, nth) => today - (DAYS - 1 - nth) * DAY_SECS);
    const found = new Map(trend.map((day) => [Date.parse(day.starts_at) / 1_000, day]));
    const failed = days.map((day) => found.get(day)?.runs ?? 0);
    const retried = days.map((day, nth) => Math.max(0, (found.get(day)?.attempts ?? 0) - (failed[nth] ?? 0)));
    return {
      times: days,
      series: [
        { label: "Failed runs", values: failed, family: "failed" as const },
        { label: "Retried attempts", values: retried, family: "retrying" as const },
      ],
    };
  }, [trend]);
  return <StackedBars title="Last 30 days" times={times} series={series} bucketSecs={DAY_SECS} height={140} />;
}

import type { ErrorIssueDetail } from "@millrace/contract/alerts/error-issues";
import { useMemo } from "react";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { DAY_SECS, lastDays } from "./last-days.ts";

const DAYS = 30;

/** Failures by day (UTC). */
export function IssueTrend({ issue: { trend } }: { issue: ErrorIssueDetail }) {
  const { times, series } = useMemo(() => {
    const { days, found } = lastDays(trend, DAYS);
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

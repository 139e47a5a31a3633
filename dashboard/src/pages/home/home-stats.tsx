import type { PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { Sparkline } from "../../parts/chart/sparkline.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatCount, formatDuration, formatPercent, formatShort, plural } from "../../parts/format.ts";
import { usePlace } from "../../shell/place/place.ts";
import { endedOf } from "../shared-analytics/run-series.ts";
import { ServiceStat } from "./service-stat.tsx";
import { useOldestWait } from "./use-oldest-wait.ts";

type Props = {
  since: string;
  total: RunTimeseries["total"] | undefined;
  buckets: RunTimeseries["buckets"] | undefined;
  performance: PerformanceReport | undefined;
};

/** From the same live total as the rate: the report of the service is some seconds older. */
function rateHint({ success_rate: rate }: RunTimeseries["total"]): string {
  if (rate === null) return "No finished runs";
  if (rate < 0.8) return "Below 80%";
  return rate < 0.95 ? "Below the 95% target" : "Meets the 95% target";
}

/** Key figures; each links to its runs. */
export function HomeStats({ since, total, buckets = [], performance }: Props) {
  const { at } = usePlace();
  const oldest = useOldestWait((performance?.health.open_runs ?? 0) > 0);
  const bad = total && total.failed + total.timed_out;
  const runs = (q?: string) => at("runs", { ...(q && { q }), since });
  const spark = (values: number[], label: string, className?: string) =>
    values.some((value) => value > 0) ? (
      <Sparkline values={values} label={label} {...(className && { className })} width={72} />
    ) : undefined;
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-3 xl:grid-cols-6">
      <Stat
        label="Finished runs"
        value={total && formatShort(endedOf(total))}
        hint={total && `${formatCount(total.created)} created`}
        href={runs("is:ended")}
        chart={spark(
          buckets.map((each) => each.completed + each.failed + each.timed_out + each.canceled),
          "Runs over time",
        )}
      />
      <Stat
        label="Success rate"
        value={total && (total.success_rate === null ? "–" : formatPercent(total.success_rate))}
        hint={total && rateHint(total)}
        href={runs("status:completed")}
      />
      <Stat
        label="Failed"
        value={bad === undefined ? undefined : formatShort(bad)}
        hint={total && plural(total.retried, "retry", "retries")}
        href={runs("status:failed,timed_out")}
        chart={spark(
          buckets.map((each) => each.failed + each.timed_out),
          "Failures over time",
          "text-failed",
        )}
      />
      <Stat
        label="p95 duration"
        value={total && (total.p95_ms === null ? "–" : formatDuration(total.p95_ms))}
        hint={total && (total.p50_ms === null ? "No data" : `p50 ${formatDuration(total.p50_ms)}`)}
        href={at("analytics", { tab: "durations", since })}
      />
      <Stat
        label="Open runs"
        value={performance && formatShort(performance.health.open_runs)}
        hint={
          oldest === undefined ? performance && startHint(performance) : `Oldest queued for ${formatDuration(oldest)}`
        }
        href={at("runs", { q: "is:live" })}
        chart={spark(
          buckets.map(({ open_runs }) => open_runs),
          "Open runs over time",
          "text-waiting",
        )}
      />
      <ServiceStat />
    </div>
  );
}

function startHint({ start_delay }: PerformanceReport): string {
  return start_delay.p95_ms === null ? "Nothing queued" : `Queue wait p95 ${formatDuration(start_delay.p95_ms)}`;
}

import type { RunLog } from "@millrace/contract/runs/run-records";
import { useMemo } from "react";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { rangeText } from "../shared-analytics/use-range.ts";

const BARS = 48;

/** The loaded lines over time, by level. Dragging narrows the time. */
export function LogHistogram({ rows }: { rows: readonly RunLog[] | undefined }) {
  const [, change] = useSearchParams();
  const shown = useMemo(() => rows && rows.length > 1 && barsOf(rows), [rows]);
  if (!shown) return null;
  return (
    <StackedBars
      title="Loaded lines"
      times={shown.times}
      series={shown.series}
      bucketSecs={shown.secs}
      height={88}
      onBrush={(from, to) => change({ since: rangeText(from, to) })}
    />
  );
}

function barsOf(rows: readonly RunLog[]) {
  const at = rows.map(({ logged_at }) => Date.parse(logged_at) / 1_000);
  const [first, last] = [Math.floor(Math.min(...at)), Math.ceil(Math.max(...at))];
  const secs = Math.max(1, Math.ceil((last - first + 1) / BARS));
  const count = Math.min(BARS, Math.ceil((last - first + 1) / secs));
  const counted = (levels: string[]) => {
    const values = Array.from({ length: count }, () => 0);
    rows.forEach(({ level }, nth) => {
      const bar = Math.min(count - 1, Math.floor(((at[nth] ?? first) - first) / secs));
      if (levels.includes(level)) values[bar] = (values[bar] ?? 0) + 1;
    });
    return values;
  };
  return {
    secs,
    times: Array.from({ length: count }, (_, nth) => first + nth * secs),
    series: [
      { label: "Debug, info", family: "queued" as const, values: counted(["debug", "info"]) },
      { label: "Warnings", family: "retrying" as const, values: counted(["warn"]) },
      { label: "Errors", family: "failed" as const, values: counted(["error"]) },
    ],
  };
}

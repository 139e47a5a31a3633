import type { DurationDistribution, RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { useApi } from "../../api/use-api.ts";
import { formatDuration, formatShort } from "../../parts/format.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { DurationChart } from "../shared-analytics/duration-chart.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, duration } from "../shared-analytics/figures.tsx";
import { Histogram } from "../shared-analytics/histogram.tsx";
import type { TabProps } from "./tab-props.ts";

type Step = DurationDistribution["histogram"][number];

/** Run durations as a histogram with percentiles, and over time. */
export function DurationsTab({ query, onBrush }: TabProps) {
  const [{ scale = "linear" }, change] = useSearchParams();
  const { data, error, refetch } = useApi<DurationDistribution>("/v1/analytics/runs/duration-distribution", query);
  const series = useApi<RunTimeseries>("/v1/analytics/timeseries", query);
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <section aria-label="Histogram" className="card flex flex-col gap-3 p-4">
        <div className="flex items-center justify-between gap-2">
          <h2 className="font-medium">
            Durations{" "}
            <span className="font-normal text-ink-3">
              {data &&
                `${formatShort(data.count)} runs${data.mean_ms === null ? "" : `, mean ${formatDuration(data.mean_ms)}`}`}
            </span>
          </h2>
          <Segments
            label="Scale"
            value={scale}
            options={[
              { id: "linear", label: "Linear" },
              { id: "log", label: "Log" },
            ]}
            onChange={(id) => change({ scale: id === "linear" ? undefined : id })}
          />
        </div>
        <Histogram data={data} isLog={scale === "log"} />
      </section>
      <DurationChart title="Percentiles over time" buckets={series.data?.buckets} onBrush={onBrush} />
      <FigureTable
        title="Runs by duration"
        rows={data?.histogram}
        rowKey={({ from_ms }) => String(from_ms)}
        none="No run finished in this period"
        figures={[
          duration<Step>("Longer than", ({ from_ms }) => from_ms),
          duration<Step>("Up to", ({ to_ms }) => to_ms),
          count<Step>("Runs", (step) => step.count),
        ]}
      />
    </div>
  );
}

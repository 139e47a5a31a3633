import type { RunsByTrigger } from "@millrace/contract/analytics/run-analytics";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import type { ChartSeries } from "../../parts/chart/chart.tsx";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import type { StatusFamily } from "../../parts/state/statuses.ts";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, endFigures, rate } from "../shared-analytics/figures.tsx";
import { BUCKET_SECS, timesOf } from "../shared-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

type Trigger = RunsByTrigger["data"][number];
const FAMILIES: (StatusFamily | undefined)[] = [undefined, "success", "waiting", "retrying", "queued", "running"];

/** Runs by trigger type. */
export function TriggersTab({ query, onBrush }: TabProps) {
  const { data, error, refetch } = useApi<RunsByTrigger>("/v1/analytics/runs/by-trigger", query);
  const kinds = useMemo(() => data?.data.filter(({ created }) => created > 0) ?? [], [data]);
  const times = useMemo(() => data && timesOf(data.data[0]?.buckets ?? []), [data]);
  const series = useMemo(
    () =>
      kinds.slice(0, FAMILIES.length).map((kind, nth): ChartSeries => {
        const family = FAMILIES[nth];
        return {
          label: kind.trigger_type,
          ...(family && { family }),
          values: kind.buckets.map(({ created }) => created),
        };
      }),
    [kinds],
  );
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <StackedBars
        title="Runs created by trigger"
        times={times}
        series={series}
        bucketSecs={BUCKET_SECS[data?.bucket ?? "1h"]}
        height={220}
        onBrush={onBrush}
      />
      <FigureTable
        title="By trigger"
        rows={data && kinds}
        rowKey={({ trigger_type }) => trigger_type}
        none="No run was created in this period"
        figures={[
          { header: "Trigger", isText: true, value: ({ trigger_type }: Trigger) => trigger_type },
          count<Trigger>("Created", ({ created }) => created),
          rate<Trigger>("Share", ({ share }) => share),
          ...endFigures<Trigger>(),
        ]}
      />
    </div>
  );
}

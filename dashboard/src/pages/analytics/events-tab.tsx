import type { EventVolume } from "@millrace/contract/analytics/analytics-beyond-runs";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Chart } from "../../parts/chart/chart.tsx";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { Stat } from "../../parts/chart/stat.tsx";
import { formatShort } from "../../parts/format.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { BUCKET_SECS, timesOf } from "../shared-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

/** Waits over time, and events received by sources. */
export function EventsTab({ query, onBrush }: TabProps) {
  const { data, error, refetch } = useApi<EventVolume>("/v1/analytics/events/volume", query);
  const shown = useMemo(() => {
    const of = (name: keyof EventVolume["total"]) => data?.buckets.map((bucket) => bucket[name]) ?? [];
    return {
      times: timesOf(data?.buckets),
      ends: [
        { label: "Received", family: "success" as const, values: of("received") },
        { label: "Canceled", family: "queued" as const, values: of("canceled") },
        { label: "Timed out", family: "failed" as const, values: of("timed_out") },
      ],
      sources: [
        { label: "Accepted", values: of("dispatched") },
        { label: "Rejected", family: "failed" as const, stroke: "dashed" as const, values: of("rejected") },
      ],
    };
  }, [data]);
  const total = data?.total;
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Stat label="Waits created" value={total && formatShort(total.created)} />
        <Stat label="Received" value={total && formatShort(total.received)} />
        <Stat label="Timed out" value={total && formatShort(total.timed_out)} />
        <Stat
          label="Source events"
          value={total && formatShort(total.dispatched)}
          hint={total && `${formatShort(total.rejected)} rejected`}
        />
      </div>
      <StackedBars
        title="Finished waits"
        times={shown.times}
        series={shown.ends}
        bucketSecs={BUCKET_SECS[data?.bucket ?? "1h"]}
        onBrush={onBrush}
      />
      <Chart title="Source events" times={shown.times} series={shown.sources} onBrush={onBrush} />
    </div>
  );
}

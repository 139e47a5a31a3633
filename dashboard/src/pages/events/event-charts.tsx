import type { EventVolume } from "@millrace/contract/analytics/analytics-beyond-runs";
import { useMemo } from "react";
import { useMay } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { BUCKET_SECS, timesOf } from "../shared-analytics/run-series.ts";
import { ReceiveHistogram } from "./receive-histogram.tsx";

const HEIGHT = 96;

/** Waits of the last day, and how long events took to arrive. */
export function EventCharts() {
  const mayCount = useMay("analytics:read");
  return (
    <section aria-label="Event charts" className="grid gap-3 lg:grid-cols-[2fr_1fr]">
      {mayCount && <Volume />}
      <ReceiveHistogram height={HEIGHT} />
    </section>
  );
}

function Volume() {
  const { environmentFilter } = usePlace();
  const { data } = useApi<EventVolume>("/v1/analytics/events/volume", { environment_id: environmentFilter });
  const shown = useMemo(() => {
    const of = (name: keyof EventVolume["total"]) => data?.buckets.map((bucket) => bucket[name]) ?? [];
    return {
      times: timesOf(data?.buckets),
      series: [
        { label: "Received", family: "success" as const, values: of("received") },
        { label: "Created", family: "waiting" as const, values: of("created") },
        { label: "Timed out", family: "failed" as const, values: of("timed_out") },
      ],
    };
  }, [data]);
  return (
    <StackedBars
      title="Events and approvals, last 24 hours"
      times={shown.times}
      series={shown.series}
      bucketSecs={BUCKET_SECS[data?.bucket ?? "1h"]}
      height={HEIGHT}
    />
  );
}

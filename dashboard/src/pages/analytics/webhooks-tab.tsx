import type { WebhookEndpointHealth } from "@millrace/contract/analytics/analytics-beyond-runs";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, percentileFigures, rate } from "../shared-analytics/figures.tsx";
import { BUCKET_SECS, timesOf } from "../shared-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

type Endpoint = WebhookEndpointHealth["data"][number];

/** Webhook deliveries over time, and per receiver. */
export function WebhooksTab({ query, onBrush }: TabProps) {
  const { data, error, refetch } = useApi<WebhookEndpointHealth>("/v1/analytics/webhooks/endpoint-health", query);
  const shown = useMemo(() => sumOf(data), [data]);
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      <StackedBars
        title="Delivery attempts"
        times={shown.times}
        series={shown.series}
        bucketSecs={BUCKET_SECS[data?.bucket ?? "1h"]}
        onBrush={onBrush}
      />
      <FigureTable
        title="Receivers"
        rows={data?.data}
        rowKey={({ endpoint, subscription_id }) => `${subscription_id} ${endpoint}`}
        none="No webhook was sent in this period"
        figures={[
          { header: "Receiver", isText: true, value: ({ endpoint }: Endpoint) => endpoint },
          count<Endpoint>("Attempts", ({ attempts }) => attempts),
          rate<Endpoint>("Delivered", ({ success_rate }) => success_rate),
          count<Endpoint>("Rejected", ({ refused }) => refused),
          count<Endpoint>("Retried", ({ retryable }) => retryable),
          count<Endpoint>("Interrupted", ({ lost }) => lost),
          ...percentileFigures<Endpoint>(),
        ]}
      />
    </div>
  );
}

function sumOf(data: WebhookEndpointHealth | undefined) {
  const first = data?.data[0]?.buckets ?? [];
  const sum = (name: "delivered" | "refused" | "retryable") =>
    first.map((_, nth) => data?.data.reduce((all, { buckets }) => all + (buckets[nth]?.[name] ?? 0), 0) ?? 0);
  return {
    times: data && timesOf(first),
    series: [
      { label: "Delivered", family: "success" as const, values: sum("delivered") },
      { label: "Failed, retried", family: "retrying" as const, values: sum("retryable") },
      { label: "Rejected", family: "failed" as const, values: sum("refused") },
    ],
  };
}

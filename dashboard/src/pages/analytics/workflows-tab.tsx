import type { WorkflowCompletionRates, WorkflowSummary } from "@millrace/contract/analytics-beyond-runs";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Chart } from "../../parts/chart.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatDuration } from "../../parts/format.ts";
import { shortId } from "../../parts/id.tsx";
import { StackedBars } from "../../parts/stacked-bars.tsx";
import { FigureTable } from "../of-analytics/figure-table.tsx";
import { count, endFigures, percentileFigures, rate } from "../of-analytics/figures.tsx";
import { BUCKET_SECS, percentilesOf, timesOf } from "../of-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

type Workflow = WorkflowCompletionRates["data"][number];

/** Workflow runs over time, and how many of each came to an end. */
export function WorkflowsTab({ query, onBrush }: TabProps) {
  const summary = useApi<WorkflowSummary>("/v1/analytics/workflows/summary", query);
  const rates = useApi<WorkflowCompletionRates>("/v1/analytics/workflows/completion-rates", query);
  const buckets = summary.data?.buckets;
  const shown = useMemo(
    () => ({
      times: timesOf(buckets),
      durations: percentilesOf(buckets),
      ends: [
        { label: "Completed", family: "success" as const, values: buckets?.map(({ completed }) => completed) ?? [] },
        { label: "Canceled", family: "queued" as const, values: buckets?.map(({ canceled }) => canceled) ?? [] },
        { label: "Timed out", family: "retrying" as const, values: buckets?.map(({ timed_out }) => timed_out) ?? [] },
        { label: "Failed", family: "failed" as const, values: buckets?.map(({ failed }) => failed) ?? [] },
      ],
    }),
    [buckets],
  );
  const error = summary.error ?? rates.error;
  return (
    <div className="flex flex-col gap-4">
      {error && (
        <ErrorState as="banner" error={error} onRetry={() => void Promise.all([summary.refetch(), rates.refetch()])} />
      )}
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="min-w-0 lg:col-span-2">
          <StackedBars
            title="Workflow runs ended"
            times={shown.times}
            series={shown.ends}
            bucketSecs={BUCKET_SECS[summary.data?.bucket ?? "1h"]}
            onBrush={onBrush}
          />
        </div>
        <Chart
          title="Duration"
          times={shown.times}
          series={shown.durations}
          format={formatDuration}
          onBrush={onBrush}
        />
      </div>
      <FigureTable
        title="Workflows"
        rows={rates.data?.data}
        rowKey={({ workflow_id }) => workflow_id}
        none="No workflow ran in this time"
        figures={[
          {
            header: "Workflow",
            isText: true,
            value: ({ workflow_slug, workflow_id }: Workflow) => workflow_slug ?? shortId(workflow_id),
          },
          count<Workflow>("Started", ({ started }) => started),
          rate<Workflow>("Came to an end", ({ completion_rate }) => completion_rate),
          ...endFigures<Workflow>(),
          ...percentileFigures<Workflow>(),
        ]}
      />
    </div>
  );
}

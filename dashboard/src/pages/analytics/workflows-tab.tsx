import type { WorkflowCompletionRates, WorkflowSummary } from "@millrace/contract/analytics/analytics-beyond-runs";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { StackedBars } from "../../parts/chart/stacked-bars.tsx";
import { shortId } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { DurationChart } from "../shared-analytics/duration-chart.tsx";
import { FigureTable } from "../shared-analytics/figure-table.tsx";
import { count, endFigures, percentileFigures, rate } from "../shared-analytics/figures.tsx";
import { BUCKET_SECS, endsOf, timesOf } from "../shared-analytics/run-series.ts";
import type { TabProps } from "./tab-props.ts";

type Workflow = WorkflowCompletionRates["data"][number];

/** Workflow runs over time, and completion rate per workflow. */
export function WorkflowsTab({ query, onBrush }: TabProps) {
  const summary = useApi<WorkflowSummary>("/v1/analytics/workflows/summary", query);
  const rates = useApi<WorkflowCompletionRates>("/v1/analytics/workflows/completion-rates", query);
  const buckets = summary.data?.buckets;
  const times = useMemo(() => timesOf(buckets), [buckets]);
  const ends = useMemo(() => endsOf(buckets), [buckets]);
  const error = summary.error ?? rates.error;
  return (
    <div className="flex flex-col gap-4">
      {error && (
        <ErrorState as="banner" error={error} onRetry={() => void Promise.all([summary.refetch(), rates.refetch()])} />
      )}
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="min-w-0 lg:col-span-2">
          <StackedBars
            title="Finished workflow runs"
            times={times}
            series={ends}
            bucketSecs={BUCKET_SECS[summary.data?.bucket ?? "1h"]}
            onBrush={onBrush}
          />
        </div>
        <DurationChart buckets={buckets} onBrush={onBrush} />
      </div>
      <FigureTable
        title="Workflows"
        rows={rates.data?.data}
        rowKey={({ workflow_id }) => workflow_id}
        none="No workflow run finished in this period"
        figures={[
          {
            header: "Workflow",
            isText: true,
            value: ({ workflow_slug, workflow_id }: Workflow) => workflow_slug ?? shortId(workflow_id),
          },
          count<Workflow>("Started", ({ started }) => started),
          rate<Workflow>("Finished", ({ completion_rate }) => completion_rate),
          ...endFigures<Workflow>(),
          ...percentileFigures<Workflow>(),
        ]}
      />
    </div>
  );
}

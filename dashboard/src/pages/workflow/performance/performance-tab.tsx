import type { WorkflowCompletionRates, WorkflowSummary } from "@millrace/contract/analytics/analytics-beyond-runs";
import type { VersionImpact } from "@millrace/contract/workflows/workflow-versions";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useMemo } from "react";
import { useMay } from "../../../api/me.ts";
import { useApi } from "../../../api/use-api.ts";
import { useIsStale } from "../../../api/use-is-stale.ts";
import { Chart } from "../../../parts/chart/chart.tsx";
import { Stat } from "../../../parts/chart/stat.tsx";
import { cx } from "../../../parts/class-names.ts";
import { TimeRange } from "../../../parts/filter/time-range.tsx";
import { formatDuration, formatPercent, formatShort } from "../../../parts/format.ts";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../../parts/state/skeleton.tsx";
import { STALE } from "../../../parts/state/stale.ts";
import { DurationChart } from "../../shared-analytics/duration-chart.tsx";
import { timesOf } from "../../shared-analytics/run-series.ts";
import { useRange } from "../../shared-analytics/use-range.ts";
import { StepBoxes } from "./step-boxes.tsx";
import { StepFunnel } from "./step-funnel.tsx";

/** Runs over time, and where steps lose runs or take long. */
export function PerformanceTab({ workflow }: { workflow: Workflow }) {
  const mayAnalyze = useMay("analytics:read");
  const { since, query, setSince, zoom } = useRange("7d");
  const isStale = useIsStale(since, "/v1/analytics");
  const impact = useApi<VersionImpact>(`/v1/workflows/${workflow.id}/versions/${workflow.version_id}/impact`);
  return (
    <div aria-busy={isStale} className={cx("flex flex-col gap-4", isStale && STALE)}>
      {mayAnalyze ? (
        <>
          <div>
            <TimeRange value={since} onChange={setSince} />
          </div>
          <OverTime workflow={workflow} query={query} onBrush={zoom} />
        </>
      ) : (
        <p className="text-ink-2">You need the analytics:read scope to see runs over time.</p>
      )}
      {impact.error && <ErrorState error={impact.error} as="banner" onRetry={() => void impact.refetch()} />}
      {!impact.data && !impact.error && <SkeletonLines lines={6} />}
      {impact.data && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <StepFunnel impact={impact.data} />
          <StepBoxes impact={impact.data} />
        </div>
      )}
    </div>
  );
}

type OverTimeProps = { workflow: Workflow; query: object; onBrush: (from: number, to: number) => void };

function OverTime({ workflow, query, onBrush }: OverTimeProps) {
  const workflowQuery = useMemo(() => ({ ...query, workflow_id: workflow.id }), [query, workflow.id]);
  const summary = useApi<WorkflowSummary>("/v1/analytics/workflows/summary", workflowQuery);
  const rates = useApi<WorkflowCompletionRates>("/v1/analytics/workflows/completion-rates", workflowQuery);
  const buckets = summary.data?.buckets;
  const times = useMemo(() => timesOf(buckets), [buckets]);
  const completion = useMemo(
    () => [
      { label: "Success rate", family: "success" as const, values: buckets?.map(partOf) ?? [] },
      { label: "100%", family: "queued" as const, stroke: "dotted" as const, values: buckets?.map(() => 100) ?? [] },
    ],
    [buckets],
  );
  const total = rates.data?.data.find(({ workflow_id }) => workflow_id === workflow.id);
  const error = summary.error ?? rates.error;
  const known = rates.data !== undefined;
  const of = (value: number | null | undefined, format: (value: number) => string) =>
    known ? (value === null || value === undefined ? "–" : format(value)) : undefined;
  return (
    <>
      {error && (
        <ErrorState as="banner" error={error} onRetry={() => void Promise.all([summary.refetch(), rates.refetch()])} />
      )}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
        <Stat label="Started" value={of(total?.started ?? 0, formatShort)} hint="in this period" />
        <Stat label="Finished" value={of(total?.completion_rate, formatPercent)} hint="of started runs" />
        <Stat label="Success rate" value={of(total?.success_rate, formatPercent)} hint="of finished runs" />
        <Stat label="p95 duration" value={of(total?.p95_ms, formatDuration)} hint="from start to end" />
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Chart
          title="Success rate"
          times={times}
          series={completion}
          format={(percent) => `${Math.round(percent)}%`}
          onBrush={onBrush}
        />
        <DurationChart buckets={buckets} onBrush={onBrush} />
      </div>
    </>
  );
}

type Ends = { completed: number; failed: number; timed_out: number; canceled: number };

function partOf({ completed, failed, timed_out, canceled }: Ends): number | null {
  const ended = completed + failed + timed_out + canceled;
  return ended === 0 ? null : (completed / ended) * 100;
}

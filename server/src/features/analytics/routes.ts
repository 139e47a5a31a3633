import { RunAnalyticsQuery, TimeseriesQuery, TopAnalyticsQuery } from "@millrace/contract/analytics/analytics";
import {
  EventVolume,
  WebhookEndpointHealth,
  WebhookHealthQuery,
  WorkflowAnalyticsQuery,
  WorkflowCompletionRates,
  WorkflowSummary,
  WorkflowSummaryQuery,
} from "@millrace/contract/analytics/analytics-beyond-runs";
import { ComputeQuery, ComputeReport } from "@millrace/contract/analytics/compute-report";
import { CostInsights, CostInsightsQuery } from "@millrace/contract/analytics/cost-insights";
import { CostReport, CostsQuery } from "@millrace/contract/analytics/cost-report";
import { ErrorGroups, JobsByVersion, PerformanceReport } from "@millrace/contract/analytics/job-analytics";
import { DurationDistribution, RunsByTrigger, RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import type { ProjectCtx } from "../../platform/context.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getCosts } from "./costs/costs.ts";
import { getCostInsights } from "./insights/cost-insights.ts";
import { getCompute } from "./reports/compute.ts";
import { getDurationDistribution } from "./reports/duration-distribution.ts";
import { getErrorGroups } from "./reports/error-groups.ts";
import { measureQuery } from "./reports/measure-query.ts";
import { timeOf } from "./reports/measures.ts";
import { openReader } from "./reports/open-reader.ts";
import { getJobsByVersion, getPerformance } from "./reports/performance.ts";
import { jobNamed, readAsOf } from "./reports/read-names.ts";
import { getRunsByTrigger, getRunTimeseries } from "./reports/run-timeseries.ts";
import { type CountName, fillTimes } from "./reports/series.ts";
import { getWebhookHealth } from "./reports/webhook-health.ts";
import { getCompletionRates, getWorkflowSummary } from "./reports/workflow-summary.ts";
import { readRollups } from "./rollups/read-rollups.ts";
import { named } from "./rollups/rollup-rows.ts";

export const analyticsRoutes: Route[] = [
  projectRoute("GET /v1/analytics/runs/by-trigger", {
    summary: "Count runs by trigger type",
    scope: "analytics:read",
    query: RunAnalyticsQuery,
    response: RunsByTrigger,
    run: (ctx, { query }) => getRunsByTrigger(ctx, query),
  }),
  projectRoute("GET /v1/analytics/runs/duration-distribution", {
    summary: "Get the durations of runs, as percentiles and as a histogram",
    scope: "analytics:read",
    query: RunAnalyticsQuery,
    response: DurationDistribution,
    run: (ctx, { query }) => getDurationDistribution(ctx, query),
  }),
  projectRoute("GET /v1/analytics/workflows/completion-rates", {
    summary: "Get the completion and success rates of each workflow",
    scope: "analytics:read",
    query: WorkflowAnalyticsQuery,
    response: WorkflowCompletionRates,
    run: (ctx, { query }) => getCompletionRates(ctx, query),
  }),
  projectRoute("GET /v1/analytics/workflows/summary", {
    summary: "Get totals for all workflows, overall and over time",
    scope: "analytics:read",
    query: WorkflowSummaryQuery,
    response: WorkflowSummary,
    run: (ctx, { query }) => getWorkflowSummary(ctx, query),
  }),
  projectRoute("GET /v1/analytics/jobs/by-version", {
    summary: "Get run metrics by job version",
    scope: "analytics:read",
    query: TopAnalyticsQuery,
    response: JobsByVersion,
    run: (ctx, { query }) => getJobsByVersion(ctx, query),
  }),
  projectRoute("GET /v1/analytics/events/volume", {
    summary: "Count events over time",
    scope: "analytics:read",
    query: RunAnalyticsQuery,
    response: EventVolume,
    run: (ctx, { query }) => getEventVolume(ctx, query),
  }),
  projectRoute("GET /v1/analytics/performance", {
    summary: "Get the slowest jobs, throughput and health",
    scope: "analytics:read",
    query: TopAnalyticsQuery,
    response: PerformanceReport,
    run: (ctx, { query }) => getPerformance(ctx, query),
  }),
  projectRoute("GET /v1/analytics/webhooks/endpoint-health", {
    summary: "Get the health of webhook receivers over time",
    scope: "analytics:read",
    query: WebhookHealthQuery,
    response: WebhookEndpointHealth,
    run: (ctx, { query }) => getWebhookHealth(ctx, query),
  }),
  projectRoute("GET /v1/analytics/timeseries", {
    summary: "Count and measure runs over time, in every bucket",
    scope: "analytics:read",
    query: TimeseriesQuery,
    response: RunTimeseries,
    run: (ctx, { query }) => getRunTimeseries(ctx, query),
  }),
  projectRoute("GET /v1/analytics/errors", {
    summary: "Group failures of runs by cause",
    scope: "analytics:read",
    query: TopAnalyticsQuery,
    response: ErrorGroups,
    run: (ctx, { query }) => getErrorGroups(ctx, query),
  }),
];

/** Events over time. Access to those of one job is decided as for its runs. */
async function getEventVolume(ctx: ProjectCtx, query: RunAnalyticsQuery): Promise<Omit<EventVolume, "$schema">> {
  const reader = await openReader(ctx, "events", query, query.job_id === undefined ? "events" : "runs");
  return measureQuery(ctx, reader.range, async () => {
    const subject_ids = await jobNamed(ctx, query.job_id);
    const of = subject_ids ? ({ split: "job", subject_ids } as const) : ({ split: "all" } as const);
    const [sums, as_of] = await Promise.all([readRollups(reader, { ...of, by: ["time"] }), readAsOf(ctx, "events")]);
    const rows = sums.map(({ starts_at, counts }) => ({ starts_at: starts_at ?? "", ...counts }));
    const total = named("events", []);
    for (const { counts } of sums)
      for (const name of Object.keys(total) as CountName<"events">[]) total[name] += counts[name];
    const buckets = fillTimes(reader.range, rows, named("events", []));
    return { ...timeOf(ctx, reader.range, as_of), total, buckets };
  });
}

export const costRoutes: Route[] = [
  projectRoute("GET /v1/analytics/costs", {
    summary: "Get the costs of the current billing period, by group",
    scope: "analytics:read",
    query: CostsQuery,
    response: CostReport,
    run: (ctx, { query }) => getCosts(ctx, query),
  }),
  projectRoute("GET /v1/analytics/compute", {
    summary: "Get the busy time, outcomes and costs of dispatches",
    scope: "analytics:read",
    query: ComputeQuery,
    response: ComputeReport,
    run: (ctx, { query }) => getCompute(ctx, query),
  }),
  projectRoute("GET /v1/analytics/cost-insights", {
    summary: "Get suggestions for saving costs, from the project's own runs",
    scope: "analytics:read",
    query: CostInsightsQuery,
    response: CostInsights,
    run: (ctx, { query }) => getCostInsights(ctx, query),
  }),
];

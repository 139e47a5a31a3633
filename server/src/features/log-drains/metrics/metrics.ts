import { attributes, nanos, otlpBody } from "../otlp.ts";
import type { Formatted, Signal } from "../signal.ts";
import { type FiguresRecord, type JobBacklog, type JobTotals, readFigures } from "./read-figures.ts";

/** Totals and backlog by job, once a minute. */
export const METRICS: Signal<FiguresRecord> = {
  read: readFigures,
  format: (_ctx, { project_id }, records) => formatMetrics(project_id, records),
  reportsDropped: false,
};

const ENDS = ["completed", "failed", "timed_out", "canceled"] as const;

const NAMES = { resources: "resourceMetrics", scopes: "scopeMetrics", items: "metrics" };

export function formatMetrics(project_id: string, records: readonly FiguresRecord[]): Formatted {
  return otlpBody(project_id, NAMES, records.flatMap(metricsOf));
}

function metricsOf({ created_at, since, totals, backlog }: FiguresRecord): string[] {
  const time = `"timeUnixNano":${nanos(created_at)}`;
  const times = `"startTimeUnixNano":${nanos(since)},${time}`;
  const count = (each: JobTotals, value: number, more = {}) => `{${times},${ofJob(each, more)},"asInt":"${value}"}`;
  const created = totals.map((each) => count(each, each.created));
  const ended = totals.flatMap((each) =>
    ENDS.map((status) => count(each, each[status], { "millrace.status": status })),
  );
  const retried = totals.map((each) => count(each, each.retried));
  const durations = totals.map((each) => `{${times},${ofJob(each)},"asDouble":${each.duration_ms / 1_000}}`);
  const queued = backlog.map((each) => `{${time},${ofJob(each)},"asInt":"${each.queued}"}`);
  const ages = backlog.map((each) => `{${time},${ofJob(each)},"asDouble":${each.oldest_secs}}`);
  return [
    ...sum("millrace.runs.created", "{run}", "Runs created.", created),
    ...sum("millrace.runs.ended", "{run}", "Runs ended, by status.", ended),
    ...sum("millrace.runs.retried", "{attempt}", "Attempts after the first.", retried),
    ...sum("millrace.runs.duration", "s", "Sum of the durations of ended runs.", durations),
    ...gauge("millrace.queue.depth", "{run}", "Runs that are due and wait.", queued),
    ...gauge("millrace.queue.oldest_age", "s", "Age of the oldest run that is due and waits.", ages),
  ];
}

/** Of the OpenTelemetry metrics data model. */
const CUMULATIVE = 2;

function sum(name: string, unit: string, description: string, points: string[]): string[] {
  const kind = `"aggregationTemporality":${CUMULATIVE},"isMonotonic":true`;
  return metric({ name, unit, description }, points, `"sum":{"dataPoints":[${points.join(",")}],${kind}}`);
}

function gauge(name: string, unit: string, description: string, points: string[]): string[] {
  return metric({ name, unit, description }, points, `"gauge":{"dataPoints":[${points.join(",")}]}`);
}

/** None without points, as receivers refuse them. */
function metric(described: { name: string; unit: string; description: string }, points: string[], data: string) {
  return points.length === 0 ? [] : [`${JSON.stringify(described).slice(0, -1)},${data}}`];
}

function ofJob(each: Pick<JobBacklog, "job_id" | "job_slug"> & Partial<JobTotals>, more: Record<string, unknown> = {}) {
  const { job_id, job_slug, environment_id } = each;
  const own = { "millrace.job_id": job_id, "millrace.job_slug": job_slug, "millrace.environment_id": environment_id };
  return attributes({ ...own, ...more });
}

import { attributes, nanos, otlpBody, resourceOf, SCOPE } from "../otlp.ts";
import type { Formatted, Signal } from "../signal.ts";
import { type FiguresRecord, type JobBacklog, type JobTotals, readFigures } from "./read-figures.ts";

/** Totals and backlog by job, once a minute. */
export const METRICS: Signal<FiguresRecord> = {
  read: readFigures,
  format: (_ctx, { project_id }, records) => formatMetrics(project_id, records),
  reportsDropped: false,
};

const ENDS = ["completed", "failed", "timed_out", "canceled"] as const;

export function formatMetrics(project_id: string, records: readonly FiguresRecord[]): Formatted {
  const metrics = records.flatMap(metricsOf);
  return otlpBody({
    resourceMetrics: [{ resource: resourceOf(project_id), scopeMetrics: [{ scope: SCOPE, metrics }] }],
  });
}

function metricsOf({ created_at, since, totals, backlog }: FiguresRecord): object[] {
  const times = { timeUnixNano: nanos(created_at) };
  const begun = { startTimeUnixNano: nanos(since), ...times };
  const sum = (name: string, unit: string, description: string, points: object[]) =>
    metric(name, unit, description, points, {
      sum: { dataPoints: points, aggregationTemporality: CUMULATIVE, isMonotonic: true },
    });
  const gauge = (name: string, unit: string, description: string, points: object[]) =>
    metric(name, unit, description, points, { gauge: { dataPoints: points } });
  const count = (each: JobTotals, value: number, more = {}) => ({
    ...begun,
    ...ofJob(each, more),
    asInt: String(value),
  });
  return [
    sum(
      "millrace.runs.created",
      "{run}",
      "Runs created.",
      totals.map((each) => count(each, each.created)),
    ),
    sum(
      "millrace.runs.ended",
      "{run}",
      "Runs ended, by status.",
      totals.flatMap((each) => ENDS.map((status) => count(each, each[status], { "millrace.status": status }))),
    ),
    sum(
      "millrace.runs.retried",
      "{attempt}",
      "Attempts after the first.",
      totals.map((each) => count(each, each.retried)),
    ),
    sum(
      "millrace.runs.duration",
      "s",
      "Sum of the durations of ended runs.",
      totals.map((each) => ({ ...begun, ...ofJob(each), asDouble: each.duration_ms / 1_000 })),
    ),
    gauge(
      "millrace.queue.depth",
      "{run}",
      "Runs that are due and wait.",
      backlog.map((each) => ({ ...times, ...ofJob(each), asInt: String(each.queued) })),
    ),
    gauge(
      "millrace.queue.oldest_age",
      "s",
      "Age of the oldest run that is due and waits.",
      backlog.map((each) => ({ ...times, ...ofJob(each), asDouble: each.oldest_secs })),
    ),
  ].flat();
}

/** Of the OpenTelemetry metrics data model. */
const CUMULATIVE = 2;

/** None without points, as receivers refuse them. */
function metric(name: string, unit: string, description: string, points: object[], data: object): object[] {
  return points.length === 0 ? [] : [{ name, unit, description, ...data }];
}

function ofJob(each: Pick<JobBacklog, "job_id" | "job_slug"> & Partial<JobTotals>, more: Record<string, unknown> = {}) {
  const { job_id, job_slug, environment_id } = each;
  const own = { "millrace.job_id": job_id, "millrace.job_slug": job_slug, "millrace.environment_id": environment_id };
  return { attributes: attributes({ ...own, ...more }) };
}

import { LRUCache } from "lru-cache";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { databaseMetrics } from "./database-metrics.ts";
import { plainHistogram, type Series } from "./plain-histogram.ts";
import { processMetrics } from "./process-metrics.ts";
import { runDurations } from "./run-durations.ts";
import { stateGauges } from "./state-gauges.ts";

export type Metrics = ReturnType<typeof makeMetrics>;

const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** All metrics. The `millrace_` ones are for operators; the other names are part of the API and do not change. */
export function makeMetrics() {
  const registry = new Registry();
  return {
    registry,
    ...specifiedMetrics(registry),
    ...ownMetrics(registry),
    database: databaseMetrics(registry, FAST_SECONDS),
    runDurations: runDurations(registry),
    state: stateGauges(registry),
    process: processMetrics(registry),
  };
}

function specifiedMetrics(registry: Registry) {
  const { counter, reading, histogram } = metricFactories(registry);
  const pool = { active: 0, queued: 0 };
  return {
    /** A label with tenant-defined values: more than 1,000 of them would make a scrape block the process. */
    projectLabel: cappedLabel(1_000),
    runTransitions: counter("svc_run_transitions_total", "Run status changes.", ["from_status", "to_status"]),
    ...dispatchMetrics(registry),
    dequeueDuration: histogram("svc_dequeue_duration_seconds", "Queue polling latency."),
    pool,
    workerPoolActive: reading("svc_worker_pool_active", "Dispatches in progress.", () => pool.active),
    workerPoolQueued: reading("svc_worker_pool_queued", "Claimed runs waiting for a slot.", () => pool.queued),
    analyticsQueryDuration: histogram("svc_analytics_query_duration_seconds", "Analytics queries.", ["period_hours"]),
    bulkOperations: counter("svc_bulk_operations_total", "Bulk trigger and cancel operations."),
    bulkItemsProcessed: counter("svc_bulk_items_processed_total", "Items processed in bulk operations."),
    bulkChildCancellations: counter("svc_bulk_child_cancellations_total", "Cascading child run cancellations."),
    webhookRetryAttempts: counter("svc_webhook_retry_attempts_total", "Webhook delivery retries."),
    eventTriggersCreated: counter("event_triggers_created_total", "Event triggers created.", [
      "source_type",
      "project_id",
    ]),
    eventTriggersReceived: counter("event_triggers_received_total", "Triggers resolved by events."),
    eventTriggersTimedOut: counter("event_triggers_timed_out_total", "Triggers that timed out."),
  };
}

function dispatchMetrics(registry: Registry) {
  const jobLabel = cappedLabel(1_000);
  const dispatchDuration = plainHistogram(
    {
      name: "svc_dispatch_duration_seconds",
      help: "Time of one dispatch.",
      labelNames: ["job_id", "outcome"],
      buckets: FAST_SECONDS,
    },
    registry,
  );
  const dispatches = new LRUCache<string, Series>({ max: 5_000 });
  return {
    dispatchDuration,
    /** One lookup per series instead of hashing its labels at each dispatch. */
    observeDispatch: (job_id: string, outcome: string, seconds: number) => {
      const key = `${job_id} ${outcome}`;
      let series = dispatches.get(key);
      if (!series) {
        series = dispatchDuration.series({ job_id: jobLabel(job_id), outcome });
        dispatches.set(key, series);
      }
      series.observe(seconds);
    },
  };
}

function ownMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricFactories(registry);
  return {
    httpRequests: counter("millrace_http_requests_total", "Requests served.", ["route", "status"]),
    httpDuration: histogram("millrace_http_request_duration_seconds", "Time to serve a request.", ["route"]),
    taskRuns: counter("millrace_task_runs_total", "Passes of background tasks.", ["task", "outcome"]),
    retentionPages: counter("millrace_retention_pages_total", "Pages processed by retention.", ["entry", "outcome"]),
    removedRows: counter("millrace_removed_rows_total", "Old rows removed by retention.", ["entry"]),
    repairs: counter("millrace_repairs_total", "Repairs made by reconciliation.", ["kind"]),
    databaseUp: gauge("millrace_database_up", "1 while the database responds."),
    workflowRuns: counter("millrace_workflow_runs_total", "Starts, retries and ends of workflow runs.", ["event"]),
    webhookAttempts: counter("millrace_webhook_attempts_total", "Requests to webhook receivers.", ["outcome"]),
    outboxSourceRows: counter("millrace_outbox_source_rows_total", "Rows read from outbox sources.", ["outcome"]),
    outboxSourceFailures: counter("millrace_outbox_source_failures_total", "Failed connections to outbox sources."),
    webhookDeliveries: counter("millrace_webhook_deliveries_total", "Webhook deliveries that ended.", ["status"]),
  };
}

function metricFactories(registry: Registry) {
  const registers = [registry];
  return {
    counter: <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Counter<T>({ name, help, labelNames, registers }),
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    /** Read at scrape time instead of being written at every change. */
    reading: (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      }),
    histogram: <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Histogram<T>({ name, help, labelNames, buckets: FAST_SECONDS, registers }),
  };
}

/** Keeps the first `max` values; every later one becomes `other`. */
export function cappedLabel(max: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= max) return "other";
    known.add(value);
    return value;
  };
}

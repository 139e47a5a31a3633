import type { StatusFamily } from "../../parts/state/statuses.ts";

type Unit = "count" | "ms" | "share" | "microusd" | "tokens";

/** A field of the buckets of a report. */
export type Metric = { id: string; label: string; unit: Unit; family?: StatusFamily };

export type Source = {
  label: string;
  path: string;
  metrics: Metric[];
  /** What its values can be split by. */
  groups: Group[];
  /** How one request asks for all parts of a group; other groups need one for each part. */
  groupBy?: Partial<Record<Group, string>>;
  /** Only whole days are kept for the groups of `groupBy`. */
  isByDay?: boolean;
};

export type Group =
  | "none"
  | "job"
  | "environment"
  | "workflow"
  | "receiver"
  | "trigger"
  | "version"
  | "tag"
  | "model"
  | "actor"
  | "schedule"
  | "key";

export const GROUP_LABELS: Record<Group, string> = {
  none: "None",
  job: "Job",
  environment: "Environment",
  workflow: "Workflow",
  receiver: "Receiver",
  trigger: "Trigger",
  version: "Version",
  tag: "Tag",
  model: "Model",
  actor: "Started by",
  schedule: "Schedule",
  key: "Concurrency key",
};

const ENDS: Metric[] = [
  { id: "completed", label: "Completed", unit: "count", family: "success" },
  { id: "failed", label: "Failed", unit: "count", family: "failed" },
  { id: "timed_out", label: "Timed out", unit: "count", family: "retrying" },
  { id: "canceled", label: "Canceled", unit: "count", family: "queued" },
  { id: "retried", label: "Retried", unit: "count", family: "retrying" },
];
const RATE: Metric = { id: "success_rate", label: "Success rate", unit: "share", family: "success" };
const DURATIONS: Metric[] = [
  { id: "p50_ms", label: "Duration p50", unit: "ms" },
  { id: "p95_ms", label: "Duration p95", unit: "ms" },
  { id: "p99_ms", label: "Duration p99", unit: "ms" },
];

/** What can be explored: reports with one value per metric and interval. */
export const SOURCES = {
  runs: {
    label: "Runs",
    path: "/v1/analytics/timeseries",
    metrics: [
      { id: "created", label: "Created", unit: "count", family: "running" },
      ...ENDS,
      RATE,
      ...DURATIONS,
      { id: "start_delay_p95_ms", label: "Queue wait p95", unit: "ms" },
      { id: "open_runs", label: "Open runs", unit: "count", family: "running" },
    ],
    groups: ["none", "job", "version", "trigger", "environment"],
    groupBy: { version: "job_version", trigger: "trigger_type" },
  },
  workflow_runs: {
    label: "Workflow runs",
    path: "/v1/analytics/workflows/summary",
    metrics: [{ id: "started", label: "Started", unit: "count", family: "running" }, ...ENDS, RATE, ...DURATIONS],
    groups: ["none", "workflow", "version", "environment"],
    groupBy: { version: "workflow_version" },
  },
  events: {
    label: "Events",
    path: "/v1/analytics/events/volume",
    metrics: [
      { id: "created", label: "Waits created", unit: "count", family: "waiting" },
      { id: "received", label: "Waits resolved", unit: "count", family: "success" },
      { id: "timed_out", label: "Waits timed out", unit: "count", family: "failed" },
      { id: "dispatched", label: "Events dispatched", unit: "count", family: "running" },
      { id: "rejected", label: "Events rejected", unit: "count", family: "failed" },
    ],
    groups: ["none", "environment"],
  },
  webhooks: {
    label: "Webhooks",
    path: "/v1/analytics/webhooks/endpoint-health",
    metrics: [
      { id: "attempts", label: "Attempts", unit: "count", family: "running" },
      { id: "delivered", label: "Delivered", unit: "count", family: "success" },
      { id: "refused", label: "Rejected", unit: "count", family: "failed" },
      { id: "retryable", label: "Failed, retried", unit: "count", family: "retrying" },
      RATE,
      ...DURATIONS,
    ],
    groups: ["receiver"],
  },
  costs: {
    label: "Costs",
    path: "/v1/analytics/costs",
    metrics: [
      { id: "total_microusd", label: "Total cost", unit: "microusd" },
      { id: "reported_microusd", label: "Reported cost", unit: "microusd" },
      { id: "compute_microusd", label: "Compute cost", unit: "microusd" },
      { id: "wall_ms", label: "Wall time", unit: "ms" },
      { id: "dispatches", label: "Dispatches", unit: "count" },
      { id: "input_tokens", label: "Input tokens", unit: "tokens" },
      { id: "output_tokens", label: "Output tokens", unit: "tokens" },
    ],
    groups: ["none", "job", "environment", "workflow", "tag", "model", "actor", "schedule", "key"],
    groupBy: {
      ...{ workflow: "workflow", tag: "tag", model: "model", actor: "created_by" },
      ...{ schedule: "schedule", key: "concurrency_key" },
    },
    isByDay: true,
  },
} as const satisfies Record<string, Source>;
export type SourceId = keyof typeof SOURCES;

export function sourceOf(id: string | undefined): SourceId {
  return id !== undefined && Object.hasOwn(SOURCES, id) ? (id as SourceId) : "runs";
}

/** Why the parts of a group have no values of a metric. */
export function reasonWithout(
  { label, groupBy }: Source,
  { id, label: name }: Metric,
  group: Group,
): string | undefined {
  if (groupBy?.[group] === undefined) return undefined;
  const isMissing = id === "open_runs" || id.startsWith("start_delay") || (group === "trigger" && id.endsWith("_ms"));
  if (!isMissing) return undefined;
  return `${label} by ${group}: only counts${group === "trigger" ? "" : " and durations"} are kept, so there is no “${name}”.`;
}

import { ALERT_KIND_RULES, DEFAULT_MIN_RUNS, DEFAULT_OBJECTIVE } from "@millrace/contract/alerts/alert-kinds";
import { JOB_DEFAULTS } from "@millrace/contract/jobs/jobs";
import { QUEUE_DEFAULTS } from "@millrace/contract/workers/queues";
import { WORKFLOW_DEFAULTS } from "@millrace/contract/workflows/workflows";

export type Body = Record<string, unknown>;

/** What a field refers to: its value is a slug here and an id in the API. */
export type RefKind = "environment" | "job" | "workflow" | "role" | "alert_channel";

/** How a secret is written: a map of references, one reference, or an object with references in it. */
type SecretShape = "map" | "value" | "auth";

export type Kind = {
  kind: string;
  section: string;
  /** Nested ones are written in the object they belong to. */
  shape: "map" | "list" | "single" | "nested";
  path: string;
  /** The field of the API that holds the key of a map. */
  keyField?: "slug" | "name";
  /** Every field of a configuration with its default. `KEY`: the key; `REQUIRED`: none. */
  fields: Body;
  /** Defaults that depend on the value of a field. */
  defaultsBy?: { field: string; values: Readonly<Record<string, Body>> };
  /** Fields that no request changes: the object is deleted and created again. */
  fixed?: readonly string[];
  refs?: Readonly<Record<string, RefKind>>;
  /** Lists whose order means nothing. */
  sets?: readonly string[];
  secrets?: Readonly<Record<string, SecretShape>>;
  /** Identifies an object of a list. Equal ones are numbered in their order. */
  identity?: (body: Body) => string;
};

export const REQUIRED = Symbol("required");
export const KEY = Symbol("key");

const target = { job_id: null, workflow_id: null };
const targetRefs = { job_id: "job", workflow_id: "workflow", environment_id: "environment" } as const;
const policy = { effect: REQUIRED, actions: REQUIRED, subject: REQUIRED, description: null };

/** In the order in which they are applied: what is referred to comes first. */
export const KINDS: readonly Kind[] = [
  {
    ...{ kind: "workflow_policy", section: "workflow_policy", shape: "single", path: "/v1/workflow-policies" },
    fields: {
      ...{ max_fan_out: null, max_depth: null, max_steps: null },
      ...{ forbidden_step_types: [], require_approval_for_deploy: false },
    },
    sets: ["forbidden_step_types"],
  },
  {
    ...{ kind: "role", section: "roles", shape: "map", path: "/v1/roles", keyField: "name" },
    fields: { description: null, permissions: [], parent_role_id: null },
    refs: { parent_role_id: "role" },
    sets: ["permissions"],
  },
  {
    ...{ kind: "environment", section: "environments", shape: "map", path: "/v1/environments", keyField: "slug" },
    fields: { name: KEY, parent_id: null, variables: {} },
    refs: { parent_id: "environment" },
    secrets: { variables: "map" },
  },
  {
    ...{ kind: "queue", section: "queues", shape: "map", path: "/v1/queues", keyField: "name" },
    fields: QUEUE_DEFAULTS,
  },
  {
    ...{ kind: "job", section: "jobs", shape: "map", path: "/v1/jobs", keyField: "slug" },
    fields: { name: KEY, ...JOB_DEFAULTS, dependencies: [] },
    refs: { environment_id: "environment", on_failure_job_id: "job" },
    secrets: { headers: "map" },
  },
  {
    ...{ kind: "workflow", section: "workflows", shape: "map", path: "/v1/workflows", keyField: "slug" },
    fields: { name: KEY, steps: REQUIRED, ...WORKFLOW_DEFAULTS, tags: {}, cancel_on: [] },
    refs: { environment_id: "environment", on_failure_job_id: "job" },
  },
  {
    ...{ kind: "schedule", section: "schedules", shape: "map", path: "/v1/schedules", keyField: "name" },
    fields: {
      ...{ ...target, cron: REQUIRED, timezone: "UTC", payload: {} },
      ...{ overlap_policy: "allow", environment_id: null },
    },
    fixed: ["job_id", "workflow_id"],
    refs: targetRefs,
  },
  {
    ...{ kind: "event_source", section: "event_sources", shape: "map", path: "/v1/event-sources", keyField: "slug" },
    fields: {
      ...{ name: KEY, description: null, signature: "none", secret: null },
      ...{ payload_schema: null, dedup_window_secs: 86_400, enabled: true },
    },
    fixed: ["signature"],
    secrets: { secret: "value" },
  },
  {
    ...{ kind: "event_subscription", section: "subscriptions", shape: "nested", path: "/v1/event-sources" },
    fields: {
      ...{ source: REQUIRED, ...target, filter: null, payload: null },
      ...{ concurrency_key: null, environment_id: null, enabled: true },
    },
    fixed: ["environment_id"],
    refs: targetRefs,
    identity: ({ source, job_id, workflow_id }) => `${source}/${job_id ?? workflow_id}`,
  },
  {
    ...{ kind: "webhook_subscription", section: "webhook_subscriptions", shape: "list" },
    path: "/v1/webhook-subscriptions",
    fields: {
      ...{ url: REQUIRED, events: REQUIRED, description: null, filter: null },
      ...{ headers: {}, environment_id: null, enabled: true },
    },
    refs: { environment_id: "environment" },
    sets: ["events"],
    secrets: { headers: "map" },
    identity: ({ url, environment_id }) => (environment_id === null ? `${url}` : `${url} in ${environment_id}`),
  },
  {
    ...{ kind: "log_drain", section: "log_drains", shape: "map", path: "/v1/log-drains", keyField: "name" },
    fields: {
      ...{ url: REQUIRED, signal: "logs", format: "json", auth: { type: "none" } },
      ...{ min_level: "debug", job_ids: null, environment_id: null, enabled: true },
    },
    fixed: ["signal"],
    defaultsBy: { field: "signal", values: { traces: { format: "otlp" }, metrics: { format: "otlp" } } },
    refs: { job_ids: "job", environment_id: "environment" },
    secrets: { auth: "auth" },
  },
  {
    ...{ kind: "outbox_source", section: "outbox_sources", shape: "map", path: "/v1/outbox-sources", keyField: "name" },
    fields: { database_url: REQUIRED, enabled: true },
    secrets: { database_url: "value" },
  },
  {
    ...{ kind: "alert_channel", section: "alert_channels", shape: "map", path: "/v1/alert-channels", keyField: "name" },
    fields: { kind: REQUIRED, url: null, key: null, email: null, enabled: true },
    fixed: ["kind"],
    secrets: { url: "value", key: "value" },
  },
  {
    ...{ kind: "alert_rule", section: "alert_rules", shape: "map", path: "/v1/alert-rules", keyField: "name" },
    fields: {
      ...{ kind: REQUIRED, ...target, environment_id: null, queue: null, tag: null },
      ...{ threshold: null, window_secs: null, min_runs: DEFAULT_MIN_RUNS, objective: null },
      ...{ for_secs: 0, resolve_after_secs: 0, repeat_every_secs: null },
      ...{ channel_ids: [], runbook: null, enabled: true },
    },
    fixed: ["kind"],
    defaultsBy: { field: "kind", values: alertDefaults() },
    refs: { ...targetRefs, channel_ids: "alert_channel" },
    sets: ["channel_ids"],
  },
  {
    ...{ kind: "resource_policy", section: "resource_policies", shape: "list", path: "/v1/resource-policies" },
    fields: { ...policy, resource_type: REQUIRED, resource_id: REQUIRED },
    sets: ["actions"],
    identity: ({ effect, subject, resource_type, resource_id }) =>
      `${effect} ${subject} on ${resource_type}/${resource_id}`,
  },
  {
    ...{ kind: "tag_policy", section: "tag_policies", shape: "list", path: "/v1/tag-policies" },
    fields: { ...policy, tag_key: REQUIRED, tag_value: null },
    sets: ["actions"],
    identity: ({ effect, subject, tag_key, tag_value }) => `${effect} ${subject} on tag ${tag_key}:${tag_value ?? "*"}`,
  },
  {
    ...{ kind: "budget", section: "budget", shape: "single", path: "/v1/project-budget" },
    fields: { monthly_budget_microusd: null, action: "notify", thresholds: [50, 80, 100] },
    sets: ["thresholds"],
  },
];

function alertDefaults(): Record<string, Body> {
  const entries = Object.entries(ALERT_KIND_RULES).map(([kind, { threshold, window_secs }]) => {
    return [kind, { threshold, window_secs, objective: kind === "slo_burn_rate" ? DEFAULT_OBJECTIVE : null }];
  });
  return Object.fromEntries(entries) as Record<string, Body>;
}

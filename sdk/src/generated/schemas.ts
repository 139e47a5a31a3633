// Written by `npm run generate` from the contract. Do not edit.
// biome-ignore-all format: generated

/** Whether the action is allowed, and why. */
export type AccessDecision = {
  allowed: boolean;
  /** The reason in one sentence. */
  reason: string;
  decided_by: "scope" | "allow_policy" | "deny_policy" | "environment" | "nothing" | "internal_secret";
  /** UUIDv7. */
  policy_id: string | null;
  /** For a member: the chain of roles from theirs to the one that grants the permission. */
  granted_by: string[] | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A version of a workflow with runs that have not ended. */
export type ActiveVersion = {
  /** UUIDv7. */
  version_id: string;
  version: number;
  /** New runs use this version. */
  is_current: boolean;
  /** Sum of the counts below. */
  active_runs: number;
  pending: number;
  running: number;
  paused: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ActiveVersion objects. */
export type ActiveVersionList = {
  data: ActiveVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An API key, without its secret. */
export type ApiKey = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The project's organization. The key can then read every project of the organization. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null means all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this many days. */
  rotation_interval_days: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_key_expires_at: string | null;
  /** Includes use by sessions and tokens created with the key. Up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  revoked_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ApiKey objects. */
export type ApiKeyList = {
  data: ApiKey[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Assigns a role to a person. The role of an existing member is replaced. */
export type AssignMember = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** `sub` claim of the tokens that the identity provider issues to this person. */
  subject: string;
  /** Id or name of a role. */
  role_id: string;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | null | undefined;
};

/** Up to 100 people and their roles. */
export type AssignMembers = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  members: Array<{
    subject: string;
    role_id: string;
    name?: string | null | undefined;
  }>;
};

/** A change: who made it, when and from where. */
export type AuditEvent = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `api_key`, `internal_secret`, `member`, `service` … */
  actor_kind: string;
  /** For an API key, its id. */
  actor_id: string | null;
  actor_name: string | null;
  /** For example `job.updated`. */
  action: string;
  resource_type: string;
  resource_id: string;
  /** The changed fields before the change, without secrets. */
  before: Record<string, unknown> | null;
  /** The changed fields after the change, without secrets. */
  after: Record<string, unknown> | null;
  ip: string | null;
  user_agent: string | null;
  /** The `X-Request-Id` of the request. */
  request_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** Whether the event has been added to the hash chain. This takes a few seconds. */
  sealed: boolean;
  /** Position in the project's chain, starting at 1. */
  chain_no: number | null;
  /** Hex-encoded hash over this event and all events before it. */
  hash: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of AuditEvent objects. */
export type AuditEventList = {
  data: AuditEvent[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Whether the project's audit events are unchanged since they were recorded. */
export type AuditVerification = {
  valid: boolean;
  /** Number of events whose hash was verified, at most 50,000 per call. */
  checked: number;
  /** Call again with this value as `after`. Null if everything was verified. */
  next_after: number | null;
  /** Events that have not been added to the chain yet. */
  unsealed: number;
  /** At most 100. */
  faults: Array<{
    kind: "edited" | "missing" | "cut_off" | "head_forged" | "start_forged";
    chain_no: number | null;
    event_id: string | null;
    message: string;
  }>;
  /** The signed start and end of a project's audit chain. */
  head: {
    /** UUIDv7. */
    project_id: string;
    /** Position of the newest event in the chain. */
    count: number;
    /** Hex-encoded. */
    hash: string;
    /** Ed25519 signature, base64-encoded. */
    signature: string;
    /** Position of the newest event removed by retention. 0 if none was removed. */
    start_no: number;
    /** Hex-encoded. */
    start_hash: string;
    /** Ed25519 signature, base64-encoded. */
    start_signature: string;
    /** Ed25519 public key, base64-encoded. Keep it to verify exports. */
    public_key: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    sealed_at: string;
  } | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The result of one item. */
export type BatchItem = {
  /** UUIDv7. */
  batch_id: string;
  /** Position of the item: in the request, or in processing order. */
  index: number;
  /** The run or workflow run that was acted on. */
  target_id: string | null;
  status: "succeeded" | "failed" | "skipped";
  error: {
    code: string;
    message: string;
  } | null;
  /** Result details, for example the run created by a replay. */
  detail: unknown;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of BatchItem objects. */
export type BatchItemList = {
  data: BatchItem[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A bulk request and its progress. */
export type BatchOperation = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** The action applied to each item: trigger, cancel, cancel_all, replay, dlq_replay, cancel_workflow_runs, migrate_workflow_runs, webhook_retry. */
  kind: string;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  /** The request that started the operation. */
  request: unknown;
  /** Number of items. With a filter: an estimate from the start of the operation (0 if it could not be counted in time), exact once it has ended. */
  total: number;
  /** `succeeded` + `failed` + `skipped`. */
  processed: number;
  succeeded: number;
  failed: number;
  /** Items that needed no action when they were processed. */
  skipped: number;
  /** Progress. 100 when the operation is completed. */
  percent: number;
  /** Why the operation failed as a whole. */
  error: string | null;
  created_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  created_by_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of BatchOperation objects. */
export type BatchOperationList = {
  data: BatchOperation[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of BatchOperation if the caller has no permission to read it. */
export type BatchOperationReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An event that was buffered, or that cancels runs through `cancel_on` of their jobs and workflows. */
export type BufferedEvent = {
  /** True: nothing was waiting, and the event is buffered for the next wait with this key. False: nothing was waiting, and the event cancels runs and is not kept. */
  buffered: boolean;
  /** UUIDv7. */
  id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string | null;
  /** Number of runs that the event cancels. Absent if there are none. */
  canceled_runs?: number | undefined;
  /** Canceled runs, at most 100. */
  canceled_run_ids?: string[] | undefined;
  /** Canceled workflow runs, at most 100. */
  canceled_workflow_run_ids?: string[] | undefined;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of BufferedEvent if the caller has no permission to read it. */
export type BufferedEventReceipt = {
  /** UUIDv7. */
  id: string;
  /** True: nothing was waiting, and the event is buffered for the next wait with this key. False: nothing was waiting, and the event cancels runs and is not kept. */
  buffered: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Cancels every matching run that has not ended. Runs created after the call are not affected. */
export type BulkCancelAll = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Same filters as `GET /v1/runs`. An empty filter is rejected. */
  filter: {
    /** One status, or several separated by commas. */
    status?: string | undefined;
    /** Job id or slug. */
    job_id?: string | undefined;
    /** UUIDv7. */
    batch_id?: string | undefined;
    /** Runs with the same key share the job's `max_concurrency_per_key`, and are interleaved fairly with other keys. */
    concurrency_key?: string | undefined;
    /** Matches the name in `created_by` or the id in `created_by_id`. */
    created_by?: string | undefined;
    trigger_type?: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn" | undefined;
    /** UUIDv7. */
    parent_run_id?: string | undefined;
    /** UUIDv7. */
    replay_of?: string | undefined;
    /** UUIDv7. */
    schedule_id?: string | undefined;
    /** UUIDv7. */
    workflow_run_id?: string | undefined;
    /** Environment id or slug. */
    environment_id?: string | undefined;
    /** `key` or `key:value`, split at the first colon. Escape a colon inside the key as `\:`. */
    tag?: string | undefined;
    /** JSON that the payload must contain: `{"user":{"id":42}}`. Numbers and strings do not match each other. */
    payload_contains?: string | undefined;
    /** Query such as `status:failed -tag:noise payload.user.id:42 since:24h`. All filters must match. */
    q?: string | undefined;
    /** True: only runs on the dead-letter list. False: only runs that are not on it. */
    dead_letter?: boolean | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  };
  /** Included in the `error` of each run. */
  reason?: string | undefined;
  /** Returns how many runs would be canceled and cancels none. */
  dry_run?: boolean | undefined;
};

/** The number of runs that would be canceled. */
export type BulkCancelAllPreview = {
  dry_run: boolean;
  /** Matching runs, not counting their children. Null if they could not be counted in time. */
  count: number | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of BulkCancelAllPreview if the caller has no permission to read it. */
export type BulkCancelAllPreviewReceipt = {
  dry_run: boolean;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Cancels up to 100 runs. */
export type BulkCancelRuns = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Duplicate ids are processed once. */
  run_ids: string[];
  /** Included in the `error` of each run. */
  reason?: string | undefined;
};

/** The result for each run, in the order of first appearance in the request. */
export type BulkCancelRunsResult = {
  /** UUIDv7. */
  batch_id: string;
  results: Array<{
    index: number;
    /** UUIDv7. */
    run_id: string;
    status: "canceled" | "failed";
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Cancels up to 100 workflow runs. */
export type BulkCancelWorkflowRuns = {
  /** Duplicate ids are processed once. */
  workflow_run_ids: string[];
  /** Included in the `error` of the workflow run and of the runs it cancels. */
  reason?: string | undefined;
};

/** The result for each workflow run, in the order of first appearance in the request. */
export type BulkCancelWorkflowRunsResult = {
  /** UUIDv7. */
  batch_id: string;
  results: Array<{
    index: number;
    /** UUIDv7. */
    workflow_run_id: string;
    status: "canceled" | "failed";
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Replays dead letters, selected by id or by filter. */
export type BulkReplayDeadLetters = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  run_ids?: string[] | undefined;
  /** Selects dead letters. `{}` selects all of them. */
  filter?: {
    /** Job id or slug. */
    job_id?: string | undefined;
    /** Matches the error code or message, case-insensitive. */
    error_contains?: string | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  } | undefined;
  /** With `filter`: the maximum number of runs. */
  limit?: number | undefined;
};

/** Replays up to 100 ended runs, each as a new run. */
export type BulkReplayRuns = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  run_ids: string[];
  /** Returns what would happen to each run and creates nothing. */
  dry_run?: boolean | undefined;
};

/** The new run for each item, in request order. */
export type BulkReplayRunsResult = {
  dry_run: boolean;
  /** The batch operation that stores these results. Null for a dry run. */
  batch_id: string | null;
  results: Array<{
    index: number;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    replay_of: string;
    /** `would_create` is returned for dry runs. */
    status: "created" | "would_create" | "failed";
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Retries failed deliveries: up to 100 by id, immediately, or by filter, in the background. */
export type BulkRetryDeliveries = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  delivery_ids?: string[] | undefined;
  /** Selects failed deliveries. `{}` selects all of them. */
  filter?: {
    /** Only deliveries to exactly this URL. */
    url?: string | undefined;
    /** Only deliveries of this subscription. */
    subscription_id?: string | undefined;
    /** Only deliveries of this event type. */
    event_type?: string | undefined;
    /** Only deliveries to this host, with its port if it has one. */
    host?: string | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  } | undefined;
};

/** The result for each delivery, in request order. */
export type BulkRetryDeliveriesResult = {
  /** UUIDv7. */
  batch_id: string;
  results: Array<{
    index: number;
    /** UUIDv7. */
    delivery_id: string;
    status: "retried" | "failed";
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts up to 100 runs of one job. */
export type BulkTrigger = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  items: Array<{
    /** Payload of the run. Default: `{}`. */
    payload?: unknown;
    /** Up to 50 key-value pairs of your own, with values of any JSON type. */
    metadata?: Record<string, unknown> | undefined;
    /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
    tags?: Record<string, string> | string[] | undefined;
    /** Each point moves the run one minute ahead in the queue, so that no run starves. */
    priority?: number | undefined;
    /** Runs with the same key share the job's `max_concurrency_per_key`, and are interleaved fairly with other keys. */
    concurrency_key?: string | undefined;
    /** A request with the same key within 24 hours returns the existing run. Can also be sent as the header `Idempotency-Key`. */
    idempotency_key?: string | undefined;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    scheduled_at?: string | undefined;
    delay_secs?: number | undefined;
    timeout_secs?: number | undefined;
    max_attempts?: number | undefined;
    /** Environment id or slug. */
    environment_id?: string | undefined;
    /** UUIDv7. */
    parent_run_id?: string | undefined;
    /** Runs that must complete before this one starts. If one of them fails, this run is canceled. */
    depends_on_run_ids?: string[] | undefined;
  }>;
};

/** The result for each item, in request order. */
export type BulkTriggerResult = {
  /** UUIDv7. */
  batch_id: string;
  results: Array<{
    index: number;
    /** UUIDv7. */
    run_id: string | null;
    status: "created" | "existing" | "failed";
    error: {
      code: string;
      message: string;
      errors: Array<{
        location: string;
        message: string;
        value: unknown;
      }>;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The event was received. Details of the trigger are omitted because the sender is not authenticated. */
export type CallbackReceived = {
  received: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  received_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow version that is tested on a share of new runs. */
export type Canary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version that all other runs use. */
  source_version: number;
  /** The version under test. */
  target_version: number;
  /** Percentage of new runs that use the target version. */
  traffic_pct: number;
  status: "active" | "promoted" | "rolled_back";
  auto_promote_config: {
    /** False: traffic changes only on request. */
    enabled: boolean;
    /** Traffic shares in percent, in ascending order. After the last one the canary is promoted. */
    steps: number[];
    /** Minimum time at each share. */
    interval_secs: number;
    /** Minimum number of ended runs on the target version: in total before it is evaluated, and at each share before the next one. */
    min_runs: number;
    /** How much higher the target's error rate may be than the source's: 0.02 allows 7% if the source has 5%. */
    max_failure_rate_increase: number;
    /** How much higher the target's p95 duration may be, relative to the source's: 0.2 allows 20% more. Null: no limit. */
    max_p95_increase: number | null;
  } | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  completed_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A canary with the metrics of both versions. */
export type CanaryComparison = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version that all other runs use. */
  source_version: number;
  /** The version under test. */
  target_version: number;
  /** Percentage of new runs that use the target version. */
  traffic_pct: number;
  status: "active" | "promoted" | "rolled_back";
  auto_promote_config: {
    /** False: traffic changes only on request. */
    enabled: boolean;
    /** Traffic shares in percent, in ascending order. After the last one the canary is promoted. */
    steps: number[];
    /** Minimum time at each share. */
    interval_secs: number;
    /** Minimum number of ended runs on the target version: in total before it is evaluated, and at each share before the next one. */
    min_runs: number;
    /** How much higher the target's error rate may be than the source's: 0.02 allows 7% if the source has 5%. */
    max_failure_rate_increase: number;
    /** How much higher the target's p95 duration may be, relative to the source's: 0.2 allows 20% more. Null: no limit. */
    max_p95_increase: number | null;
  } | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  completed_at: string | null;
  metrics: {
    source: {
      version: number;
      /** UUIDv7. */
      version_id: string;
      /** Runs that the canary routed to this version. */
      runs: number;
      /** Those that have not ended. */
      active_runs: number;
      /** Share of completed runs among runs that completed, failed or timed out. Null if there are none. */
      success_rate: number | null;
      /** Share of failed and timed-out runs among the same runs. */
      error_rate: number | null;
      /** Duration of completed runs. Null if none completed. */
      p50_ms: number | null;
      /** Duration of completed runs. Null if none completed. */
      p95_ms: number | null;
      /** Duration of completed runs. Null if none completed. */
      p99_ms: number | null;
    };
    target: {
      version: number;
      /** UUIDv7. */
      version_id: string;
      /** Runs that the canary routed to this version. */
      runs: number;
      /** Those that have not ended. */
      active_runs: number;
      /** Share of completed runs among runs that completed, failed or timed out. Null if there are none. */
      success_rate: number | null;
      /** Share of failed and timed-out runs among the same runs. */
      error_rate: number | null;
      /** Duration of completed runs. Null if none completed. */
      p50_ms: number | null;
      /** Duration of completed runs. Null if none completed. */
      p95_ms: number | null;
      /** Duration of completed runs. Null if none completed. */
      p99_ms: number | null;
    };
    /** Probability that the target fails more often than the source. Null if either has no runs. */
    probability_target_worse: number | null;
  };
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of CanaryComparison if the caller has no permission to read it. */
export type CanaryComparisonReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "promoted" | "rolled_back";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Canary if the caller has no permission to read it. */
export type CanaryReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "promoted" | "rolled_back";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Cancels a run. */
export type CancelRun = {
  /** Included in the `error` of the run. */
  reason?: string | undefined;
};

/** Cancels a workflow run. */
export type CancelWorkflowRun = {
  /** Included in the `error` of the workflow run and of the runs it cancels. */
  reason?: string | undefined;
};

/** A page of Capsule objects. */
export type CapsuleList = {
  data: CapsuleSummary[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An imported workflow run. Immutable. */
export type CapsuleSummary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Environment of the API key that imported it. Null if the key was not restricted to one. */
  environment_id: string | null;
  /** Id of the run in the installation that exported it. */
  workflow_run_id: string;
  /** UUIDv7. */
  workflow_id: string;
  workflow_slug: string;
  workflow_name: string;
  version: number;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  sha256: string;
  size_bytes: number;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of CapsuleSummary if the caller has no permission to read it. */
export type CapsuleSummaryReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The policy, or with `dry_run` the policy as it would be. */
export type ChangedWorkflowPolicy = {
  /** UUIDv7. */
  project_id: string;
  /** Maximum number of steps that depend directly on one step. Null: no limit. */
  max_fan_out: number | null;
  /** Maximum number of steps in a row. Null: no limit. */
  max_depth: number | null;
  /** Maximum number of steps per workflow. Null: only the service's own limit. */
  max_steps: number | null;
  forbidden_step_types: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow">;
  /** A changed version becomes current only when someone other than its author activates it. */
  require_approval_for_deploy: boolean;
  /** Null if no policy has been set. */
  updated_by: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string | null;
  /** Only with `dry_run`: workflows whose current version violates the policy. */
  preview?: {
    /** Number of workflows checked. */
    checked_count: number;
    violating_count: number;
    /** At most 100 of them, oldest first. */
    violating: Array<{
      /** UUIDv7. */
      workflow_id: string;
      slug: string;
      /** The current version, which was checked. */
      version_id: string;
      violations: Array<{
        /** For example `body.steps[2].event_key`. */
        location: string;
        message: string;
        /** The rejected value. */
        value: unknown;
      }>;
    }>;
  } | undefined;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of ChangedWorkflowPolicy if the caller has no permission to read it. */
export type ChangedWorkflowPolicyReceipt = {
  /** UUIDv7. */
  project_id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Checks whether a subject may perform an action on a resource. */
export type CheckAccess = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** `api_key:<id>`, `member:<subject>` or `role:<id or name>`. Default: the caller. */
  subject?: string | undefined;
  action: "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send";
  /** A `job` includes its runs and schedules, a `workflow` its workflow runs, and an `environment` everything in it. */
  resource_type?: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation" | undefined;
  resource_id?: string | undefined;
};

/** Dispatch time of runs, by outcome, with its cost. */
export type ComputeReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  /** Length of one bucket. */
  bucket: "1m" | "5m" | "1h" | "1d";
  /** The current rate. */
  compute_rate_microusd_per_sec: number;
  /** Total time of all dispatches, from claim to end. */
  wall_ms: number;
  /** The part of all dispatches that falls into this period. */
  busy_ms: number;
  dispatches: number;
  /** Wall time of dispatches × the project's compute rate. */
  compute_microusd: number;
  /** `busy_ms` divided by the elapsed time. */
  average_in_flight: number;
  /** The highest `average_in_flight` of any bucket. */
  peak_in_flight: number;
  /** Share of `wall_ms` in dispatches that completed or started to wait. Null if there were none. */
  useful_share: number | null;
  outcomes: Array<{
    outcome: "completed" | "waiting" | "failed" | "timed_out" | "silent" | "canceled" | "paused" | "retried" | "retried_after_timeout" | "retried_after_silence" | "retried_after_crash" | "drained";
    wall_ms: number;
    dispatches: number;
    /** Millionths of a US dollar. */
    compute_microusd: number;
    /** Cost reported during these dispatches. */
    reported_microusd: number;
  }>;
  jobs: Array<{
    /** UUIDv7. */
    job_id: string;
    slug: string | null;
    /** Total time of all dispatches, from claim to end. */
    wall_ms: number;
    /** The part of all dispatches that falls into this period. */
    busy_ms: number;
    dispatches: number;
    /** Wall time of dispatches × the project's compute rate. */
    compute_microusd: number;
    /** `busy_ms` divided by the elapsed time. */
    average_in_flight: number;
    /** The longest single dispatch. */
    longest_ms: number;
    max_concurrency: number | null;
    /** `average_in_flight` divided by `max_concurrency`. Null if there is no limit. */
    utilisation: number | null;
  }>;
  buckets: Array<{
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** Total time of all dispatches, from claim to end. */
    wall_ms: number;
    /** The part of all dispatches that falls into this period. */
    busy_ms: number;
    dispatches: number;
    /** Wall time of dispatches × the project's compute rate. */
    compute_microusd: number;
    /** `busy_ms` divided by the elapsed time. */
    average_in_flight: number;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Possible savings, derived from the project's own runs. */
export type CostInsights = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  /** The project's cost in this period. */
  total_microusd: number;
  /** Sum over all insights. */
  estimated_saving_microusd: number;
  /** Ordered by saving, largest first. */
  insights: Array<{
    rule: "retry_waste" | "always_times_out" | "overlong_timeout" | "idle_schedule" | "duplicate_payloads";
    /** UUIDv7. */
    job_id: string;
    job_slug: string | null;
    /** UUIDv7. */
    schedule_id: string | null;
    title: string;
    what_to_change: string;
    /** Over the requested period. */
    estimated_saving_microusd: number;
    /** The numbers behind the insight. `docs/costs.md` describes each of them. */
    evidence: Record<string, number | string | null>;
    /** Up to five example runs, newest first. */
    sample_run_ids: string[];
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The cost of a project, by group. */
export type CostReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  /** Length of one bucket. */
  bucket: "1m" | "5m" | "1h" | "1d";
  /** The calendar month (UTC) that contains `from`. */
  period: {
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    ends_at: string;
    is_current: boolean;
  };
  /** The current rate. */
  compute_rate_microusd_per_sec: number;
  total: {
    /** Reported cost plus compute cost, in millionths of a US dollar. */
    total_microusd: number;
    /** Cost reported by runs. */
    reported_microusd: number;
    /** Wall time of dispatches × the project's compute rate. */
    compute_microusd: number;
    /** Total time of all dispatches, from claim to end. */
    wall_ms: number;
    dispatches: number;
    /** Number of usage reports. */
    reports: number;
    input_tokens: number;
    output_tokens: number;
  };
  /** Only for the current billing period as a whole. */
  forecast: {
    /** Projected cost of the whole period. */
    total_microusd: number;
    /** Based on the average of the last full days (at most 7), or of the time elapsed so far. */
    basis: "full_days" | "elapsed_time";
    /** Number of full days used. */
    days: number;
    /** Millionths of a US dollar. */
    per_day_microusd: number;
  } | null;
  buckets: Array<{
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** Reported cost plus compute cost, in millionths of a US dollar. */
    total_microusd: number;
    /** Cost reported by runs. */
    reported_microusd: number;
    /** Wall time of dispatches × the project's compute rate. */
    compute_microusd: number;
    /** Total time of all dispatches, from claim to end. */
    wall_ms: number;
    dispatches: number;
    /** Number of usage reports. */
    reports: number;
    input_tokens: number;
    output_tokens: number;
  }>;
  /** By job. */
  jobs: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By environment. */
  environments: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the workflow that the run is a step of. */
  workflows: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By tag. A run counts for each of its tags. With `tag_key`: by the values of that tag. */
  tags: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By concurrency key. */
  concurrency_keys: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the API key, or other actor, that started the run. */
  created_by: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the schedule that started the run. */
  schedules: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** Reported usage by provider (`name`) and model (`value`). `other` contains the rest and all compute cost. */
  models: {
    /** Ordered by cost, highest first. */
    groups: Array<{
      /** Id of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null for runs without one, or, if `id` is set, when the object was deleted. */
      name: string | null;
      /** The tag's value, or the provider's model. */
      value: string | null;
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** Everything not listed, so that the groups add up to the total. Null if groups overlap. */
    other: {
      /** Reported cost plus compute cost, in millionths of a US dollar. */
      total_microusd: number;
      /** Cost reported by runs. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's compute rate. */
      compute_microusd: number;
      /** Total time of all dispatches, from claim to end. */
      wall_ms: number;
      dispatches: number;
      /** Number of usage reports. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Creates an API key. */
export type CreateApiKey = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Restricts the key to one environment: id or slug, stored as the id. Null: all environments. */
  environment_id?: string | null | undefined;
  expires_in_days?: number | null | undefined;
  /** The project's organization. The key can then read every project of the organization. */
  org_id?: string | null | undefined;
  /** Rotation is due after this many days. */
  rotation_interval_days?: number | null | undefined;
  /** Scopes of the key. Null or absent: every scope its creator holds. Policies do not restrict `audit:read`: it shows every change in full. */
  scopes?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | null | undefined;
};

/** Starts a canary. New runs use the source version, except for the share that uses the target version. */
export type CreateCanary = {
  /** Default: the current version. */
  source_version?: number | undefined;
  target_version: number;
  /** Default: the first of the configured steps, or 10. */
  traffic_pct?: number | undefined;
  /** Raises the traffic share step by step while the target version is evaluated. */
  auto_promote_config?: {
    /** False: traffic changes only on request. */
    enabled?: boolean | undefined;
    /** Traffic shares in percent, in ascending order. After the last one the canary is promoted. */
    steps?: number[] | undefined;
    /** Minimum time at each share. */
    interval_secs?: number | undefined;
    /** Minimum number of ended runs on the target version: in total before it is evaluated, and at each share before the next one. */
    min_runs?: number | undefined;
    /** How much higher the target's error rate may be than the source's: 0.02 allows 7% if the source has 5%. */
    max_failure_rate_increase?: number | undefined;
    /** How much higher the target's p95 duration may be, relative to the source's: 0.2 allows 20% more. Null: no limit. */
    max_p95_increase?: number | null | undefined;
  } | null | undefined;
};

/** Creates an environment. Default for `slug`: derived from the name. */
export type CreateEnvironment = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** Parent whose variables are inherited: id or slug, stored as the id. */
  parent_id?: string | null | undefined;
  /** Passed to every run in the environment. Encrypted at rest. */
  variables?: Record<string, string> | undefined;
};

/** Creates an event source. Without `signature` it accepts no webhooks. Event ids are remembered for one day by default. */
export type CreateEventSource = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  description?: string | null | undefined;
  /** How inbound webhooks are signed: `hmac` like this service's own webhooks (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`) or `stripe` (`Stripe-Signature`). `none` accepts no webhooks. */
  signature?: "none" | "hmac" | "github" | "stripe" | undefined;
  /** Secret that the sender signs with. Generated if absent; for Stripe, send the secret that Stripe issued. */
  secret?: string | undefined;
  /** JSON Schema that every payload must match. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** How long event ids are remembered. A repeated id within this time starts nothing. 0 disables deduplication. */
  dedup_window_secs?: number | undefined;
  /** False: the source rejects events. */
  enabled?: boolean | undefined;
};

/** Creates a subscription for a job or a workflow. Without `filter` it matches every event. */
export type CreateEventSubscription = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Id or slug of a job. */
  job_id?: string | undefined;
  /** Id or slug of a workflow. */
  workflow_id?: string | undefined;
  /** CEL expression over `payload` and `event` (`id`, `type`, `source`, `metadata`), for example `event.type == 'paid'`. */
  filter?: string | null | undefined;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload?: unknown;
  /** Template for the run's concurrency key. */
  concurrency_key?: string | null | undefined;
  /** Environment of its runs: id or slug, stored as the id. Null: the job's or workflow's environment, or else production. */
  environment_id?: string | null | undefined;
  /** False: the subscription starts nothing. */
  enabled?: boolean | undefined;
};

/** Creates a job. Default for `slug`: derived from the name. */
export type CreateJob = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** URL that runs are dispatched to. */
  endpoint_url: string;
  /** Sent with every dispatch. Encrypted at rest. Default: `{}`. */
  headers?: Record<string, string> | undefined;
  /** Timeout of one attempt, counted from its dispatch. Default: `300`. */
  timeout_secs?: number | undefined;
  /** How long an accepted run may go without a heartbeat. Default: `60`. */
  heartbeat_timeout_secs?: number | undefined;
  /** Default: `3`. */
  max_attempts?: number | undefined;
  /** `exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. `custom`: your own delays. Default: `"exponential"`. */
  retry_strategy?: "exponential" | "linear" | "fixed" | "custom" | undefined;
  /** Required for the `custom` strategy, and only allowed there: delays before each retry. The last one repeats. Default: `null`. */
  retry_delays_secs?: number[] | null | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. Default: `{}`. */
  default_run_metadata?: Record<string, unknown> | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. Default: `null`. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. Default: `null`. */
  result_schema?: Record<string, unknown> | null | undefined;
  /** A run that exceeds this cost is stopped. Default: `null`. */
  max_cost_microusd?: number | null | undefined;
  /** Job that is triggered when a run fails: id or slug, stored as the id. Default: `null`. */
  on_failure_job_id?: string | null | undefined;
  /** Default: `null`. */
  description?: string | null | undefined;
  /** Default environment of runs: id or slug, stored as the id. Null: production. Default: `null`. */
  environment_id?: string | null | undefined;
  /** False: the job cannot be triggered. Default: `true`. */
  enabled?: boolean | undefined;
  /** Maximum number of runs of the job at the same time. Default: `null`. */
  max_concurrency?: number | null | undefined;
  /** Maximum number of runs with the same `concurrency_key` at the same time. Default: `null`. */
  max_concurrency_per_key?: number | null | undefined;
  /** Maximum number of starts in any `rate_limit_window_secs`. Set both or neither. Default: `null`. */
  rate_limit_max?: number | null | undefined;
  /** Window of `rate_limit_max` in seconds. Default: `null`. */
  rate_limit_window_secs?: number | null | undefined;
  /** Additional named rate limits. Default: `[]`. */
  rate_limit_keys?: Array<{
    name: string;
    /** Template of the limit's key. Runs with the same rendered key share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Maximum number of starts in any window. */
    max: number;
    /** Length of the window in seconds. */
    window_secs: number;
  }> | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. Default: `null`. */
  cron?: string | null | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. Default: `"UTC"`. */
  timezone?: string | undefined;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. Default: `"allow"`. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** A trigger with the same payload within this time returns the existing run and starts none. Default: `null`. */
  dedup_window_secs?: number | null | undefined;
  /** A trigger while a run with the same `concurrency_key` is waiting replaces its payload and restarts the wait. Default: `null`. */
  debounce_window_secs?: number | null | undefined;
  /** A run that has not started after this time is canceled. Default: `null`. */
  run_ttl_secs?: number | null | undefined;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. Default: `0`. */
  priority?: number | undefined;
  /** Amount reserved from the budget until a run ends. Default: `null`. */
  estimated_cost_microusd?: number | null | undefined;
  /** Default: `[]`. */
  cancel_on?: Array<{
    /** Event key, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. Default: `{}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** Creates a log drain. It sends lines logged from now on. Defaults: `format` is `json`, and all levels are sent. */
export type CreateLogDrain = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** URL that log records are posted to. */
  url: string;
  /** `json`: an array of records. `ndjson`: one record per line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format?: "json" | "ndjson" | "otlp" | "loki" | undefined;
  /** `bearer` requires `token`; `basic` requires `username` and `password`; `header` requires `name` and `value`. */
  auth?: {
    type: "none" | "bearer" | "basic" | "header";
    /** Stored encrypted and never returned. */
    token?: string | undefined;
    username?: string | undefined;
    /** Stored encrypted and never returned. */
    password?: string | undefined;
    name?: string | undefined;
    /** Stored encrypted and never returned. */
    value?: string | undefined;
  } | undefined;
  /** Lines below this level are not sent. */
  min_level?: "debug" | "info" | "warn" | "error" | undefined;
  /** Only lines of these jobs (ids or slugs). Null: all jobs. */
  job_ids?: string[] | null | undefined;
  /** Only lines of runs in this environment. Null: all environments. Id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** A drain that is enabled again starts with the lines logged from then on. */
  enabled?: boolean | undefined;
};

/** Creates a project. Default for `slug`: derived from the name. */
export type CreateProject = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** Label that groups projects into an organization. */
  org_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Maximum number of waiting event triggers in this project. Null: the service-wide setting. */
  max_active_event_triggers?: number | null | undefined;
  /** Compute cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec?: number | undefined;
};

/** Creates a policy. */
export type CreateResourcePolicy = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** `deny` overrides every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject: string;
  /** A `job` includes its runs and schedules, a `workflow` its workflow runs, and an `environment` everything in it. */
  resource_type: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation";
  /** An id, or `*` for every resource of the type. For a job, workflow or environment also the slug, stored as the id. */
  resource_id: string;
  description?: string | null | undefined;
};

/** Creates a role. It grants its own permissions and those of its parent. */
export type CreateRole = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Scopes, or `*` for all of them. */
  permissions?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  description?: string | null | undefined;
  /** Id or name of a role. */
  parent_role_id?: string | null | undefined;
};

/** Saves a view. Without `query` it shows the whole list. */
export type CreateSavedView = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** The list that the view applies to. */
  resource: "runs" | "workflow_runs" | "jobs" | "workflows" | "events" | "webhook_deliveries" | "logs" | "audit_events" | "analytics";
  /** Query parameters of the list as strings: `{"status": "failed", "q": "tag:eu"}`. Stored unchanged. */
  query?: Record<string, string> | undefined;
};

/** Creates a schedule for a job or a workflow. Default for `timezone`: UTC. */
export type CreateSchedule = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | null | undefined;
  /** Id or slug of a job. */
  job_id?: string | undefined;
  /** Id or slug of a workflow. */
  workflow_id?: string | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron: string;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** Payload of every run of the schedule. */
  payload?: unknown;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Environment of its runs: id or slug, stored as the id. Null: the job's or workflow's environment, or else production. */
  environment_id?: string | null | undefined;
  /** True: the schedule does not fire until it is resumed. */
  paused?: boolean | undefined;
};

/** Exactly one credential to exchange for a session cookie. */
export type CreateSession = {
  api_key?: string | undefined;
  internal_secret?: string | undefined;
  /** Code from a one-time sign-in link. */
  code?: string | undefined;
};

/** Creates a policy. */
export type CreateTagPolicy = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** `deny` overrides every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject: string;
  tag_key: string;
  /** Null matches any value. */
  tag_value?: string | null | undefined;
  description?: string | null | undefined;
};

/** Creates a token for a browser. It covers the given runs and workflow runs (including the runs of their steps), or everything with the given tags. */
export type CreateToken = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Must be scopes that you hold yourself. */
  scopes: Array<"runs:read" | "workflows:read" | "events:read" | "jobs:trigger" | "events:send">;
  run_ids?: string[] | undefined;
  workflow_run_ids?: string[] | undefined;
  tags?: Record<string, string> | undefined;
  /** Default: `3600`. */
  ttl_secs?: number | undefined;
};

/** Creates a subscription. It receives events from then on. */
export type CreateWebhookSubscription = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** URL that events are posted to. */
  url: string;
  /** Event types to deliver: by name, all of a kind such as `run.*`, or `*`. */
  events: Array<"run.*" | "run.created" | "run.started" | "run.waiting" | "run.paused" | "run.resumed" | "run.retrying" | "run.completed" | "run.failed" | "run.timed_out" | "run.canceled" | "run.dead_lettered" | "workflow_run.*" | "workflow_run.started" | "workflow_run.paused" | "workflow_run.resumed" | "workflow_run.retried" | "workflow_run.completed" | "workflow_run.failed" | "workflow_run.timed_out" | "workflow_run.canceled" | "event_trigger.*" | "event_trigger.created" | "event_trigger.received" | "event_trigger.timed_out" | "event_trigger.canceled" | "budget.*" | "budget.warning" | "budget.exceeded" | "budget.blocked" | "api_key.*" | "api_key.rotation_due" | "*">;
  description?: string | null | undefined;
  /** CEL expression over `event`, such as `event.data.tags.team == "billing"`. Only matching events are delivered. */
  filter?: string | null | undefined;
  /** Sent with every delivery. Encrypted at rest and returned as `[redacted]`; send `[redacted]` to keep the stored value. */
  headers?: Record<string, string> | undefined;
  /** Only events in this environment. Null: events in every environment, and those that belong to none. Id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** False: new events are not delivered. Deliveries that already exist continue. */
  enabled?: boolean | undefined;
};

/** Creates a workflow. Default for `slug`: derived from the name. */
export type CreateWorkflow = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  steps: StepInput[];
  description?: string | null | undefined;
  /** Default environment of runs: id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** False: the workflow cannot be triggered. */
  enabled?: boolean | undefined;
  /** Timeout of the whole run, not counting paused time. */
  timeout_secs?: number | null | undefined;
  /** Maximum number of steps that run at the same time, not counting waiting steps. */
  max_parallel_steps?: number | null | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Payloads that do not match are rejected. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** Maximum number of runs at the same time. Further runs stay pending. */
  max_concurrent_runs?: number | null | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron?: string | null | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Job that is triggered when a run fails or times out: id or slug, stored as the id. */
  on_failure_job_id?: string | null | undefined;
  cancel_on?: Array<{
    /** 1 to 512 characters, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }> | undefined;
};

/** A new API key. */
export type CreatedApiKey = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The project's organization. The key can then read every project of the organization. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null means all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this many days. */
  rotation_interval_days: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_key_expires_at: string | null;
  /** Includes use by sessions and tokens created with the key. Up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  revoked_at: string | null;
  /** The key itself. Returned only once; only its hash is stored. */
  key: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of CreatedApiKey if the caller has no permission to read it. */
export type CreatedApiKeyReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "expired" | "revoked";
  /** The key itself. Returned only once; only its hash is stored. */
  key: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A new event source and its secret. */
export type CreatedEventSource = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  description: string | null;
  /** How inbound webhooks are signed: `hmac` like this service's own webhooks (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`) or `stripe` (`Stripe-Signature`). `none` accepts no webhooks. */
  signature: "none" | "hmac" | "github" | "stripe";
  /** JSON Schema that every payload must match. */
  payload_schema: Record<string, unknown> | null;
  /** How long event ids are remembered. A repeated id within this time starts nothing. 0 disables deduplication. */
  dedup_window_secs: number;
  /** False: the source rejects events. */
  enabled: boolean;
  /** URL that senders post signed webhooks to. Null if the source accepts none. */
  inbound_url: string | null;
  /** Until then, signatures with the previous secret are accepted too. */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** Returned only once. Null if the source has no signature. */
  secret: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of CreatedEventSource if the caller has no permission to read it. */
export type CreatedEventSourceReceipt = {
  /** UUIDv7. */
  id: string;
  /** Returned only once. Null if the source has no signature. */
  secret: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A new project and its signing secret. */
export type CreatedProject = {
  /** UUIDv7. */
  id: string;
  /** Label that groups projects into an organization. */
  org_id: string | null;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  description: string | null;
  /** Maximum number of waiting event triggers in this project. Null: the service-wide setting. */
  max_active_event_triggers: number | null;
  /** Compute cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** Signs outgoing requests (`whsec_…`). Returned only once. */
  webhook_secret: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A comment on the decision. */
export type DecideApproval = {
  /** Stored with the decision. */
  comment?: string | undefined;
};

/** Dispatches an event to the subscriptions of a source. */
export type DispatchEvent = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Id or slug of the event source. */
  source: string;
  /** The sender's id of the event. A repeated id within the source's `dedup_window_secs` starts nothing. */
  id?: string | undefined;
  type?: string | undefined;
  /** Any JSON. Default: an empty object. */
  payload?: unknown;
  /** Additional information about the event. */
  metadata?: Record<string, unknown> | undefined;
  /** The run that dispatches the event. Used to detect and stop cycles of events and runs. */
  parent_run_id?: string | undefined;
};

/** `bearer` requires `token`; `basic` requires `username` and `password`; `header` requires `name` and `value`. */
export type DrainAuth = {
  type: "none" | "bearer" | "basic" | "header";
  /** Stored encrypted and never returned. */
  token?: string | undefined;
  username?: string | undefined;
  /** Stored encrypted and never returned. */
  password?: string | undefined;
  name?: string | undefined;
  /** Stored encrypted and never returned. */
  value?: string | undefined;
};

/** Durations of runs, from first start to end. */
export type DurationDistribution = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Runs that had started and ended in this period. */
  count: number;
  /** Exact. */
  mean_ms: number | null;
  percentiles: Array<{
    /** 0 is the shortest run, 100 the longest. */
    percentile: number;
    /** Accurate to within 1%. */
    duration_ms: number;
  }>;
  /** Runs ordered by duration, split at percentiles. */
  percentile_buckets: Array<{
    from_percentile: number;
    to_percentile: number;
    from_ms: number;
    to_ms: number;
    /** Runs between these percentiles. */
    count: number;
  }>;
  /** Histogram with bounds 1, 2, 5, 10, …, from the first bucket with runs to the last. */
  histogram: Array<{
    /** Exclusive lower bound. */
    from_ms: number;
    /** Inclusive upper bound, accurate to within 1%. */
    to_ms: number;
    /** Runs. */
    count: number;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An empty response. */
export type Empty = Record<string, unknown>;

/** An environment that runs execute in, with its variables. */
export type Environment = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  /** True for production, staging and development, which every project has and which cannot be deleted. */
  is_standard: boolean;
  /** UUIDv7. */
  parent_id: string | null;
  variables: Record<string, string>;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Environment objects. */
export type EnvironmentList = {
  data: Environment[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Environment if the caller has no permission to read it. */
export type EnvironmentReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Failures grouped by error. */
export type ErrorGroups = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  total: {
    /** Runs that failed permanently. */
    runs: number;
    /** Failed attempts. */
    attempts: number;
  };
  /** Ordered by frequency, highest first. */
  data: Array<{
    /** UUIDv7. */
    fingerprint: string;
    /** Error message without numbers, names and ids, so that similar failures are grouped. */
    message: string;
    code: string | null;
    http_status: number | null;
    /** UUIDv7. */
    job_id: string;
    job_slug: string | null;
    /** The workflow step that the runs belong to. */
    step_ref: string | null;
    /** UUIDv7. */
    environment_id: string;
    /** Runs that failed permanently in this period. */
    runs: number;
    /** Failed attempts in this period, including those that were retried. */
    attempts: number;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    first_seen_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    last_seen_at: string | null;
    versions: Array<{
      /** UUIDv7. */
      job_version_id: string;
      version: number | null;
      /** Failed attempts of this version. */
      attempts: number;
    }>;
    /** The newest runs that the caller may see. */
    sample_run_ids: string[];
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The triggers that received the event. */
export type EventPrefixSent = {
  dry_run: boolean;
  /** Number of triggers that received the event, or would receive it on a dry run. */
  resolved: number;
  /** Number of runs canceled through `cancel_on`, counted for the first thousand keys. 0 if the request is a repetition. */
  canceled_runs: number;
  /** At most 100, ordered by key. */
  triggers: EventTrigger[];
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of EventPrefixSent if the caller has no permission to read it. */
export type EventPrefixSentReceipt = {
  dry_run: boolean;
  /** Number of triggers that received the event, or would receive it on a dry run. */
  resolved: number;
  /** Number of runs canceled through `cancel_on`, counted for the first thousand keys. 0 if the request is a repetition. */
  canceled_runs: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A source of events: dispatched with an API key, or sent by third parties as signed webhooks. */
export type EventSource = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  description: string | null;
  /** How inbound webhooks are signed: `hmac` like this service's own webhooks (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`) or `stripe` (`Stripe-Signature`). `none` accepts no webhooks. */
  signature: "none" | "hmac" | "github" | "stripe";
  /** JSON Schema that every payload must match. */
  payload_schema: Record<string, unknown> | null;
  /** How long event ids are remembered. A repeated id within this time starts nothing. 0 disables deduplication. */
  dedup_window_secs: number;
  /** False: the source rejects events. */
  enabled: boolean;
  /** URL that senders post signed webhooks to. Null if the source accepts none. */
  inbound_url: string | null;
  /** Until then, signatures with the previous secret are accepted too. */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventSource objects. */
export type EventSourceList = {
  data: EventSource[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of EventSource if the caller has no permission to read it. */
export type EventSourceReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The new secret of an event source. */
export type EventSourceSecret = {
  /** Returned only once. */
  secret: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_secret_expires_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Number of event triggers in each state. */
export type EventStats = {
  waiting: number;
  received: number;
  timed_out: number;
  canceled: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts a job or a workflow for every event of a source that matches its filter. */
export type EventSubscription = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** The job to start. Null if it starts a workflow. */
  job_id: string | null;
  /** UUIDv7. */
  workflow_id: string | null;
  /** CEL expression over `payload` and `event` (`id`, `type`, `source`, `metadata`), for example `event.type == 'paid'`. */
  filter: string | null;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload: unknown;
  /** Template for the run's concurrency key. */
  concurrency_key: string | null;
  /** UUIDv7. */
  environment_id: string | null;
  enabled: boolean;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventSubscription objects. */
export type EventSubscriptionList = {
  data: EventSubscription[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of EventSubscription if the caller has no permission to read it. */
export type EventSubscriptionReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How each subscription would handle the event. */
export type EventTested = {
  /** Where the payload does not match the source's schema. Such an event would be rejected. */
  errors: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** The rejected value. */
    value: unknown;
  }>;
  matched: number;
  subscriptions: Array<{
    /** UUIDv7. */
    subscription_id: string;
    /** UUIDv7. */
    job_id: string | null;
    /** UUIDv7. */
    workflow_id: string | null;
    enabled: boolean;
    matched: boolean;
    /** Why it does or does not match. */
    reason: string;
    /** True if such an event would start a run now. */
    would_start: boolean;
    /** The payload of the run. Null if none would be started. */
    payload: unknown;
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A run or workflow step waiting for an event, a point in time, the end of a child run or an approval. */
export type EventTrigger = {
  /** UUIDv7. */
  id: string;
  /** Unique among the waiting triggers of the project. */
  event_key: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string;
  /** Whether a workflow step or a job run is waiting. */
  source_type: "workflow_step" | "job_run";
  /** `event` waits for an event, `sleep` for a point in time. */
  trigger_type: "event" | "sleep";
  /** Only `event` waits have a key that you can send to. The key of other waits is derived from their id. */
  wait_kind: "event" | "sleep" | "child" | "approval";
  /** UUIDv7. */
  workflow_run_id: string | null;
  /** UUIDv7. */
  workflow_step_run_id: string | null;
  /** UUIDv7. */
  job_run_id: string | null;
  status: "waiting" | "received" | "timed_out" | "canceled";
  timeout_secs: number | null;
  /** Payload of the event. */
  payload: unknown;
  /** Same as `payload`. */
  request_payload: unknown;
  error: {
    /** Machine-readable reason why the wait failed. */
    code: string;
    /** Human-readable reason why the wait failed. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  /** The approval message, as in the step run. Null for other waits. */
  message: string | null;
  /** URL that receives a signed webhook when the event arrives. */
  notify_url: string | null;
  /** Name of the actor that sent the event. */
  sent_by: string | null;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  sent_by_id: string | null;
  /** Anyone with this URL can send this one event, once, without a key. Shown while the trigger is waiting, to callers with permission to send events. */
  callback_url: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  requested_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  received_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventTrigger objects. */
export type EventTriggerList = {
  data: EventTrigger[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of EventTrigger if the caller has no permission to read it. */
export type EventTriggerReceipt = {
  /** UUIDv7. */
  id: string;
  status: "waiting" | "received" | "timed_out" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Event counts over time. */
export type EventVolume = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  total: {
    /** Waits for an event or an approval that were created. */
    created: number;
    /** Waits that received their event. */
    received: number;
    /** Waits that timed out. */
    timed_out: number;
    /** Waits that were canceled. */
    canceled: number;
    /** Events received by event sources. They belong to no environment. */
    dispatched: number;
    /** Events rejected by their source. */
    rejected: number;
  };
  /** Every bucket of the period, oldest first. */
  buckets: Array<{
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** Waits for an event or an approval that were created. */
    created: number;
    /** Waits that received their event. */
    received: number;
    /** Waits that timed out. */
    timed_out: number;
    /** Waits that were canceled. */
    canceled: number;
    /** Events received by event sources. They belong to no environment. */
    dispatched: number;
    /** Events rejected by their source. */
    rejected: number;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The number of triggers deleted, or to be deleted on a dry run. */
export type EventsPurged = {
  dry_run: boolean;
  /** Ended triggers that are older than the limit. */
  matched: number;
  deleted: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The process is alive. */
export type Health = {
  status: "ok";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The webhook was received. Details are omitted because the sender is not authenticated. */
export type InboundReceived = {
  received: boolean;
  /** UUIDv7. */
  id: string;
  /** True if it was received before. */
  duplicate: boolean;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A job: where runs are dispatched to, their limits and their retry settings. */
export type Job = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  /** URL that runs are dispatched to. */
  endpoint_url: string;
  headers: Record<string, string>;
  /** Timeout of one attempt, counted from its dispatch. */
  timeout_secs: number;
  /** How long an accepted run may go without a heartbeat. */
  heartbeat_timeout_secs: number;
  max_attempts: number;
  /** `exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. `custom`: your own delays. */
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  /** Required for the `custom` strategy, and only allowed there: delays before each retry. The last one repeats. */
  retry_delays_secs: number[] | null;
  /** Default metadata of every run. The run's own metadata overrides it key by key. */
  default_run_metadata: Record<string, unknown>;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  payload_schema: Record<string, unknown> | null;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  result_schema: Record<string, unknown> | null;
  /** A run that exceeds this cost is stopped. */
  max_cost_microusd: number | null;
  /** Job that is triggered when a run fails. */
  on_failure_job_id: string | null;
  description: string | null;
  /** Default environment of runs. Null: production. */
  environment_id: string | null;
  /** False: the job cannot be triggered. */
  enabled: boolean;
  /** Maximum number of runs of the job at the same time. */
  max_concurrency: number | null;
  /** Maximum number of runs with the same `concurrency_key` at the same time. */
  max_concurrency_per_key: number | null;
  /** Maximum number of starts in any `rate_limit_window_secs`. Set both or neither. */
  rate_limit_max: number | null;
  /** Window of `rate_limit_max` in seconds. */
  rate_limit_window_secs: number | null;
  /** Additional named rate limits. */
  rate_limit_keys: Array<{
    name: string;
    /** Template of the limit's key. Runs with the same rendered key share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Maximum number of starts in any window. */
    max: number;
    /** Length of the window in seconds. */
    window_secs: number;
  }>;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron: string | null;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone: string;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  cron_overlap_policy: "allow" | "skip" | "cancel_running";
  /** A trigger with the same payload within this time returns the existing run and starts none. */
  dedup_window_secs: number | null;
  /** A trigger while a run with the same `concurrency_key` is waiting replaces its payload and restarts the wait. */
  debounce_window_secs: number | null;
  /** A run that has not started after this time is canceled. */
  run_ttl_secs: number | null;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. */
  priority: number;
  /** Amount reserved from the budget until a run ends. */
  estimated_cost_microusd: number | null;
  cancel_on: Array<{
    /** Event key, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }>;
  tags: Record<string, string>;
  /** Number of the version that new runs use. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** Set while the job is paused: triggers are accepted and their runs stay queued. */
  paused_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The jobs whose newest active run a new run of this job waits for. */
export type JobDependencies = {
  /** UUIDv7. */
  job_id: string;
  dependencies: Array<{
    /** UUIDv7. */
    job_id: string;
    job_slug: string;
    /** `completed`: the other run must complete. `ended`: it must end, with any status. */
    condition: "completed" | "ended";
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of JobDependencies if the caller has no permission to read it. */
export type JobDependenciesReceipt = {
  /** UUIDv7. */
  job_id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Job objects. */
export type JobList = {
  data: Job[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Job if the caller has no permission to read it. */
export type JobReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The next times at which a job's `cron` fires. */
export type JobSchedule = {
  /** UUIDv7. */
  job_id: string;
  cron: string;
  timezone: string;
  /** True: the schedule does not fire until it is resumed. */
  paused: boolean;
  /** The next ten fire times. */
  next_fire_times: string[];
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The settings of one version of a job. Immutable. */
export type JobVersion = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  job_id: string;
  version: number;
  /** URL that runs are dispatched to. */
  endpoint_url: string;
  headers: Record<string, string>;
  /** Timeout of one attempt, counted from its dispatch. */
  timeout_secs: number;
  /** How long an accepted run may go without a heartbeat. */
  heartbeat_timeout_secs: number;
  max_attempts: number;
  /** `exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. `custom`: your own delays. */
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  /** Required for the `custom` strategy, and only allowed there: delays before each retry. The last one repeats. */
  retry_delays_secs: number[] | null;
  /** Default metadata of every run. The run's own metadata overrides it key by key. */
  default_run_metadata: Record<string, unknown>;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  payload_schema: Record<string, unknown> | null;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  result_schema: Record<string, unknown> | null;
  /** A run that exceeds this cost is stopped. */
  max_cost_microusd: number | null;
  /** Job that is triggered when a run fails. */
  on_failure_job_id: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of JobVersion objects. */
export type JobVersionList = {
  data: JobVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Run metrics by job version. */
export type JobsByVersion = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Ordered by number of runs per job, highest first; within a job, newest version first. */
  data: Array<{
    /** UUIDv7. */
    job_id: string;
    /** Null if the job was deleted. */
    job_slug: string | null;
    /** UUIDv7. */
    job_version_id: string;
    version: number | null;
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Forwards the log lines of a project's runs to an external URL. */
export type LogDrain = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Only lines of runs in this environment. Null: all environments. */
  environment_id: string | null;
  name: string;
  url: string;
  /** `json`: an array of records. `ndjson`: one record per line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format: "json" | "ndjson" | "otlp" | "loki";
  auth_type: "none" | "bearer" | "basic" | "header";
  /** The user name for `basic`, the header name for `header`. */
  auth_name: string | null;
  /** Lines below this level are not sent. */
  min_level: "debug" | "info" | "warn" | "error";
  job_ids: string[] | null;
  enabled: boolean;
  /** `failing`: the last attempt failed. `idle`: nothing to send. */
  state: "idle" | "delivering" | "failing" | "disabled";
  /** When the oldest unsent line was stored. */
  oldest_unsent_at: string | null;
  consecutive_failures: number;
  /** While the drain is failing: time of the next attempt. */
  next_attempt_at: string | null;
  last_status_code: number | null;
  last_error: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  last_delivered_at: string | null;
  /** Records accepted by the receiver. */
  delivered_count: number;
  /** Records dropped because the receiver was unavailable for too long. */
  dropped_count: number;
  /** Individual records rejected by the receiver. */
  refused_count: number;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of LogDrain objects. */
export type LogDrainList = {
  data: LogDrain[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of LogDrain if the caller has no permission to read it. */
export type LogDrainReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The result of sending a test record to a drain. */
export type LogDrainTest = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** The request body that was sent. */
  sent: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An item of a map step. */
export type MapItem = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** `ref[index]`, as in the item's run. */
  step_ref: string;
  item_index: number;
  /** The step's generation when the item was last scheduled. */
  generation: number;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  item: unknown;
  output: unknown;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  /** UUIDv7. */
  run_id: string | null;
  /** UUIDv7. */
  child_workflow_run_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of MapItem objects. */
export type MapItemList = {
  data: MapItem[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The caller and its permissions. */
export type Me = {
  /** The kind of credential that the caller used. */
  kind: "internal_secret" | "api_key" | "member";
  /** UUIDv7. */
  project_id: string | null;
  /** UUIDv7. */
  environment_id: string | null;
  org_id: string | null;
  /** UUIDv7. */
  key_id: string | null;
  /** For a member: `sub` of the OIDC token. */
  subject: string | null;
  name: string | null;
  /** Scopes as granted. Null means all scopes. */
  scopes: string[] | null;
  /** Every scope that the caller holds. */
  permissions: string[];
  /** ISO 8601 timestamp in UTC with milliseconds. */
  session_expires_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A person in a project, and the role that defines their permissions. */
export type Member = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  subject: string;
  name: string | null;
  /** UUIDv7. */
  role_id: string;
  role_name: string;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Member objects. */
export type MemberList = {
  data: Member[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Member if the caller has no permission to read it. */
export type MemberReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The result for each member, in request order. */
export type MemberResults = {
  results: Array<{
    index: number;
    subject: string;
    /** UUIDv7. */
    member_id: string | null;
    status: "created" | "updated" | "unchanged" | "failed";
    error: string | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Moves runs in flight to another version of their workflow. */
export type MigrateRuns = {
  /** Number or id of the target version. */
  to_version: number | string;
  /** Only runs of this version (number or id). Default: all versions but the target. */
  from_version?: number | string | undefined;
  /** Only these runs. */
  workflow_run_ids?: string[] | undefined;
  /** Returns what would happen to the runs and changes nothing. Default: true. */
  dry_run?: boolean | undefined;
  /** Maximum number of runs per call. Default: 10,000. */
  limit?: number | undefined;
  /** Continue after this run: `next_after` of the previous response. */
  after?: string | undefined;
};

/** Slowest jobs, throughput and health of a project's jobs. */
export type PerformanceReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  health: {
    /** Based on the success rate: `failing` below 0.8, `degraded` below 0.95. `idle` if no run ended. */
    status: "healthy" | "degraded" | "failing" | "idle";
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    /** Runs that have not ended yet. */
    open_runs: number;
    /** Jobs with failures, ordered by number of failures, highest first. */
    worst_jobs: Array<{
      /** UUIDv7. */
      job_id: string;
      /** Null if the job was deleted. */
      job_slug: string | null;
      /** Runs created in this period. */
      created: number;
      /** Ended with status `completed` in this period. */
      completed: number;
      /** Ended with status `failed` in this period. */
      failed: number;
      /** Ended with status `timed_out` in this period. */
      timed_out: number;
      /** Ended with status `canceled` in this period. */
      canceled: number;
      /** Failed attempts that were retried. */
      retried: number;
      /** completed / (completed + failed + timed_out). Null if none ended. */
      success_rate: number | null;
      mean_ms: number | null;
      /** Median. Null if nothing was measured. */
      p50_ms: number | null;
      /** 95th percentile. */
      p95_ms: number | null;
      /** 99th percentile. */
      p99_ms: number | null;
    }>;
  };
  throughput: {
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    created_per_minute: number;
    ended_per_minute: number;
    busiest: {
      /** ISO 8601 timestamp in UTC with milliseconds. */
      starts_at: string;
      /** Runs that ended in the busiest bucket. */
      ended: number;
    } | null;
  };
  duration: {
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  };
  /** Time between when a run was due and when it started. */
  start_delay: {
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  };
  /** Ordered by p95, highest first. */
  slowest_jobs: Array<{
    /** UUIDv7. */
    job_id: string;
    /** Null if the job was deleted. */
    job_slug: string | null;
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
    /** Runs that ended in each bucket, oldest first, for a sparkline. */
    ended_by_bucket: number[];
    /** How many of them failed or timed out. */
    failed_by_bucket: number[];
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What to plan. Default: the current version unchanged. */
export type PlanWorkflow = {
  /** A version of the workflow. Default: the current version. */
  version_id?: string | undefined;
  /** Replaces all steps of the version, like a PATCH. */
  steps?: StepInput[] | undefined;
  /** Fields to merge over the step with the same `step_ref`. */
  step_overrides?: StepInput[] | undefined;
};

/** An error response. */
export type Problem = {
  /** Always `about:blank`. */
  type: string;
  title: string;
  status: number;
  /** What is wrong and how to fix it. */
  detail: string;
  /** The requested path. */
  instance: string;
  errors: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** The rejected value. */
    value: unknown;
  }>;
  /** Same as `detail`. */
  error: string;
  code: "bad_request" | "invalid_text" | "duplicate_key" | "invalid_cursor" | "not_found" | "method_not_allowed" | "idempotency_conflict" | "conflict" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "validation_failed" | "project_required" | "number_out_of_range" | "payload_too_complex" | "read_only_field" | "headers_too_large" | "unauthorized" | "key_expired" | "key_revoked" | "signature_invalid" | "session_expired" | "run_token_expired" | "forbidden" | "scope_missing" | "policy_denied" | "grant_too_wide" | "project_mismatch" | "cross_site_request" | "api_key_revoked" | "budget_exceeded" | "stale_attempt" | "run_not_ended" | "run_already_started" | "already_replayed" | "data_deleted" | "not_dead_lettered" | "belongs_to_workflow" | "batch_operation_ended" | "run_already_ended" | "payload_invalid" | "dependency_cycle" | "spawn_depth_exceeded" | "run_tree_too_large" | "same_author" | "not_an_approver" | "workflow_disabled" | "workflow_run_ended" | "workflow_run_compensating" | "nothing_to_retry" | "step_not_started" | "step_not_ended" | "step_ended" | "step_not_waiting" | "canary_active" | "canary_ended" | "policy_violated" | "invalid_event_key" | "event_key_in_use" | "event_already_received" | "event_trigger_ended" | "delivery_not_failed" | "event_chain_too_long" | "event_source_disabled" | "subscription_limit" | "event_trigger_quota" | "event_buffer_full" | "job_disabled" | "job_deleted" | "slug_taken" | "environment_in_use" | "job_in_use" | "workflow_in_use" | "environment_is_standard" | "schedule_is_default" | "environment_cycle" | "rate_limited" | "internal_error" | "service_unavailable";
  request_id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A tenant. All other resources belong to a project. */
export type Project = {
  /** UUIDv7. */
  id: string;
  /** Label that groups projects into an organization. */
  org_id: string | null;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  description: string | null;
  /** Maximum number of waiting event triggers in this project. Null: the service-wide setting. */
  max_active_event_triggers: number | null;
  /** Compute cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A project's budget and its current state. */
export type ProjectBudget = {
  /** UUIDv7. */
  project_id: string;
  /** In micro-USD per calendar month (UTC). Null: no budget. */
  monthly_budget_microusd: number | null;
  /** `notify` only sends notifications. `block` also rejects new triggers with 402 `budget_exceeded`, and blocks steps, schedules and retries. */
  action: "notify" | "block";
  thresholds: number[];
  /** ISO 8601 timestamp in UTC with milliseconds. */
  period_starts_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  period_ends_at: string;
  /** Spent in this period: compute time and reported cost of ended dispatches. */
  settled_microusd: number;
  /** Reserved for runs that have not ended. Only a blocking budget reserves. */
  reserved_microusd: number;
  /** Budget minus spent and reserved amounts. Negative if it was exceeded. */
  remaining_microusd: number | null;
  /** Thresholds that were already reported in this period. */
  raised_thresholds: number[];
  /** ISO 8601 timestamp in UTC with milliseconds. */
  blocked_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of ProjectBudget if the caller has no permission to read it. */
export type ProjectBudgetReceipt = {
  /** UUIDv7. */
  project_id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Project objects. */
export type ProjectList = {
  data: Project[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Project if the caller has no permission to read it. */
export type ProjectReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Selects ended triggers to delete. */
export type PurgeEvents = {
  /** Age in days, counted from the end of the wait. */
  older_than_days: number;
  /** Counts and deletes nothing. */
  dry_run?: boolean | undefined;
};

/** Replaces the job's dependencies: a new run waits for the newest active run of each of these jobs. Default for `condition`: `completed`. */
export type PutJobDependencies = {
  dependencies: Array<{
    /** Job id or slug. */
    job_id: string;
    /** The slug as returned by `GET`. Rejected if it is not the slug of the job. */
    job_slug?: string | undefined;
    /** `completed`: the other run must complete. `ended`: it must end, with any status. */
    condition?: "completed" | "ended" | undefined;
  }>;
};

/** The whole policy. Omitted fields are reset: no limit, nothing forbidden, nothing required. */
export type PutWorkflowPolicy = {
  /** Maximum number of steps that depend directly on one step. Null: no limit. */
  max_fan_out?: number | null | undefined;
  /** Maximum number of steps in a row. Null: no limit. */
  max_depth?: number | null | undefined;
  /** Maximum number of steps per workflow. Null: only the service's own limit. */
  max_steps?: number | null | undefined;
  forbidden_step_types?: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow"> | undefined;
  /** A changed version becomes current only when someone other than its author activates it. */
  require_approval_for_deploy?: boolean | undefined;
};

/** Whether the service is ready. */
export type Readiness = {
  ready: boolean;
  /** Maps each component to `ok` or to its problem. */
  checks: Record<string, string>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Overrides values of the original run. */
export type ReplayRun = {
  /** Replaces the payload of the original run. */
  payload?: unknown;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** An environment with the variables that its runs receive. */
export type ResolvedEnvironment = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  /** True for production, staging and development, which every project has and which cannot be deleted. */
  is_standard: boolean;
  /** UUIDv7. */
  parent_id: string | null;
  variables: Record<string, string>;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** The variables a run receives: the environment's own, merged over those of its parents. */
  resolved_variables: Record<string, string>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of ResolvedEnvironment if the caller has no permission to read it. */
export type ResolvedEnvironmentReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Allows or denies actions on a resource, in addition to scopes and roles. */
export type ResourcePolicy = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `deny` overrides every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject: string;
  /** A `job` includes its runs and schedules, a `workflow` its workflow runs, and an `environment` everything in it. */
  resource_type: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation";
  /** An id, or `*` for every resource of the type. For a job, workflow or environment also the slug, stored as the id. */
  resource_id: string;
  /** False if the policy currently has no effect: its resource was deleted, no job, workflow or recent run (of the newest 1,000) has its tag, or none of its actions applies to the resource type. */
  matches_anything: boolean;
  description: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ResourcePolicy objects. */
export type ResourcePolicyList = {
  data: ResourcePolicy[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of ResourcePolicy if the caller has no permission to read it. */
export type ResourcePolicyReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A set of permissions for members. */
export type Role = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  description: string | null;
  /** The role's own permissions, in addition to those of its parents. */
  permissions: string[];
  /** UUIDv7. */
  parent_role_id: string | null;
  /** True for built-in roles, which every project has. */
  is_system: boolean;
  /** With `include_lineage=true`: this role, its parent, and so on. */
  lineage: Array<{
    /** UUIDv7. */
    id: string;
    name: string;
    permissions: string[];
    is_system: boolean;
  }> | null;
  /** With `include_lineage=true`: all permissions that the role grants, and their origin. */
  effective_permissions: Array<{
    permission: string;
    /** Name of the role that grants it. */
    granted_by: string;
    /** Names of the roles from this one to the granting role. */
    path: string[];
  }> | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Role objects. */
export type RoleList = {
  data: Role[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Role if the caller has no permission to read it. */
export type RoleReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Rotates the key's secret. */
export type RotateApiKey = {
  /** How many minutes the old secret stays valid. Default: `0`. */
  grace_period_minutes?: number | undefined;
};

/** Rotates the secret of an event source. */
export type RotateEventSourceSecret = {
  /** Secret that the sender signs with. Generated if absent; for Stripe, send the secret that Stripe issued. */
  secret?: string | undefined;
  /** How many minutes the previous secret stays valid. Default: 0. */
  grace_period_minutes?: number | undefined;
};

/** Rotates the signing secret. */
export type RotateWebhookSecret = {
  /** How many minutes requests are signed with both secrets. Default: `0`. */
  grace_period_minutes?: number | undefined;
};

/** The key's new secret. */
export type RotatedApiKey = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The project's organization. The key can then read every project of the organization. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null means all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this many days. */
  rotation_interval_days: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_key_expires_at: string | null;
  /** Includes use by sessions and tokens created with the key. Up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  revoked_at: string | null;
  /** The key itself. Returned only once; only its hash is stored. */
  key: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of RotatedApiKey if the caller has no permission to read it. */
export type RotatedApiKeyReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "expired" | "revoked";
  /** The key itself. Returned only once; only its hash is stored. */
  key: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_key_expires_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** One durable execution of a job. */
export type Run = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  job_id: string;
  /** UUIDv7. */
  job_version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Number of the current dispatch. Increases with every dispatch and never repeats. */
  attempt: number;
  /** Attempts counted against `max_attempts`: dispatches that failed, timed out or were lost with their instance. Reset to 0 after a wait. */
  tries_used: number;
  /** Maximum number of tries, counted from the start or the last wait. */
  max_attempts: number;
  timeout_secs: number;
  priority: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  result: unknown;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  concurrency_key: string | null;
  idempotency_key: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  created_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  created_by_id: string | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  /** UUIDv7. */
  parent_run_id: string | null;
  /** UUIDv7. */
  replay_of: string | null;
  /** The newest run created by replaying this one. */
  replayed_by: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  workflow_run_id: string | null;
  step_ref: string | null;
  progress: {
    percent: number | null;
    message: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    updated_at: string;
  } | null;
  pause_requested: boolean;
  /** Cost reported by the run. It excludes compute time, which the run's `/cost` and the usage reports include. */
  cost_microusd: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  dead_lettered_at: string | null;
  /** When the run left the dead-letter list through a replay or a retry of its step. It cannot be replayed again. */
  replayed_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** One dispatch of a run to the endpoint of its job. */
export type RunAttempt = {
  /** UUIDv7. */
  run_id: string;
  attempt: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** How the attempt ended. Null while it is running. */
  outcome: string | null;
  to_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  http_status: number | null;
  duration_ms: number | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunAttempt objects. */
export type RunAttemptList = {
  data: RunAttempt[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow run exported as one document, to inspect and replay elsewhere. */
export type RunCapsule = {
  format: "millrace.run-capsule";
  version: 1;
  /** SHA-256 of `content` as canonical JSON (sorted keys, no whitespace), hex-encoded. */
  sha256: string;
  /** The full run. Values of fields with secret-like names are replaced with `[redacted]`. */
  content: {
    workflow: {
      /** UUIDv7. */
      id: string;
      slug: string;
      name: string;
    };
    version: {
      /** UUIDv7. */
      id: string;
      version: number;
      steps: Array<{
        step_ref: string;
        type: string;
        depends_on: string[];
        sleep_duration?: string | undefined;
      }>;
    };
    run: {
      /** UUIDv7. */
      id: string;
      version: number;
      status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
      payload: unknown;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      started_at: string | null;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      finished_at: string | null;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      created_at: string;
    };
    steps: Array<{
      step_ref: string;
      type: string;
      status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
      output: unknown;
      error: {
        code: string;
        message: string;
      } | null;
      cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
      /** UUIDv7. */
      run_id: string | null;
      /** UUIDv7. */
      event_trigger_id: string | null;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      started_at: string | null;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      finished_at: string | null;
    }>;
    decisions: Array<Record<string, unknown>>;
    job_runs: Array<{
      /** UUIDv7. */
      id: string;
      cost_microusd: number;
      attempts: Array<Record<string, unknown>>;
      transitions: Array<Record<string, unknown>>;
    }>;
    map_items?: Array<Record<string, unknown>> | undefined;
    logs: Array<Record<string, unknown>>;
    events: Array<Record<string, unknown>>;
    /** Number of records omitted from the capsule. */
    left_out: {
      decisions: number;
      logs: number;
      /** Runs of map items. */
      job_runs?: number | undefined;
      map_items?: number | undefined;
    };
  };
};

/** A checkpoint that a run has saved. */
export type RunCheckpoint = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that reported it. */
  attempt: number;
  state: unknown;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunCheckpoint objects. */
export type RunCheckpointList = {
  data: RunCheckpoint[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The cost of a run. */
export type RunCost = {
  /** UUIDv7. */
  run_id: string;
  /** Reported cost plus compute cost, in millionths of a US dollar. */
  total_microusd: number;
  /** Cost reported by runs. */
  reported_microusd: number;
  /** Wall time of dispatches × the project's compute rate. */
  compute_microusd: number;
  /** Total time of all dispatches, from claim to end. */
  wall_ms: number;
  /** Dispatches that have ended. */
  dispatches: number;
  /** A dispatch is in progress. Its time is counted when it ends. */
  is_running: boolean;
  /** The newest 100 dispatches, oldest first. */
  attempts: Array<{
    attempt: number;
    outcome: "completed" | "waiting" | "failed" | "timed_out" | "silent" | "canceled" | "paused" | "retried" | "retried_after_timeout" | "retried_after_silence" | "retried_after_crash" | "drained" | null;
    wall_ms: number;
    /** Millionths of a US dollar. */
    compute_microusd: number;
    /** Millionths of a US dollar. */
    reported_microusd: number;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The dependencies of a run, and whether they still block it. */
export type RunDependencyStatus = {
  /** UUIDv7. */
  run_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** False while a dependency is open or can no longer be satisfied. */
  unblocked: boolean;
  /** The current dependencies of the run's job. They apply to runs created from now on. */
  definitions: Array<{
    /** UUIDv7. */
    job_id: string;
    job_slug: string;
    /** `completed`: the other run must complete. `ended`: it must end, with any status. */
    condition: "completed" | "ended";
  }>;
  /** The runs that this run was created to wait for. */
  dependencies: Array<{
    /** UUIDv7. */
    run_id: string;
    /** UUIDv7. */
    job_id: string;
    /** `run`: named in the trigger. `job`: from the job's dependencies. */
    source: "run" | "job";
    /** `completed`: the other run must complete. `ended`: it must end, with any status. */
    condition: "completed" | "ended";
    /** Null if the run was deleted before its end was recorded. */
    status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
    state: "open" | "satisfied" | "failed";
    /** ISO 8601 timestamp in UTC with milliseconds. */
    settled_at: string | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Why a run is not running, and what would unblock it. */
export type RunExplanation = {
  /** UUIDv7. */
  run_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Summary in one sentence. */
  summary: string;
  /** Everything that blocks the run. Empty if it is running, has ended or can start now. */
  blockers: Array<{
    /** Machine-readable reason why the run is blocked. */
    code: "not_due" | "backoff" | "dependency" | "paused_run" | "pause_requested" | "paused_job" | "paused_workflow_run" | "canceling" | "concurrency_key" | "job_concurrency" | "rate_limit" | "budget" | "circuit" | "waiting_for_event" | "sleeping" | "waiting_for_child" | "no_engine" | "not_queued" | "parked";
    /** Human-readable reason why the run is blocked. */
    message: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    since: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    until: string | null;
    /** State of the queue and its counters that shows the cause. */
    evidence: Record<string, unknown>;
    remedy: {
      message: string;
      /** A request that removes this blocker. */
      request?: {
        method: "POST" | "PATCH" | "PUT" | "DELETE";
        /** Complete path with all values encoded. */
        path: string;
        body?: unknown;
      } | undefined;
    };
  }>;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  would_start_at: string | null;
  in_line: {
    host: string;
    /** Claimable runs ahead of it in its lane, at most 10,000. */
    ahead: number;
    engines_alive: number;
    /** Of the responding instance. Null if it runs no engine. */
    dispatch_slots: number | null;
    dispatch_busy: number | null;
  } | null;
  running: {
    /** ISO 8601 timestamp in UTC with milliseconds. */
    since: string;
    attempt: number;
    /** UUIDv7. */
    instance_id: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    accepted_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    lease_until: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    deadline: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    last_heartbeat_at: string | null;
  } | null;
  workflow: {
    /** UUIDv7. */
    workflow_run_id: string;
    step_ref: string | null;
    status: string | null;
    /** Path of the workflow run's decision log. */
    explain: string;
  } | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Run objects. */
export type RunList = {
  data: Run[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A log line of a run. */
export type RunLog = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** UUIDv7. */
  job_id: string;
  /** The attempt that reported it. */
  attempt: number;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: Record<string, unknown> | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  logged_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Data of a `log` event in a run's stream. */
export type RunLogLine = {
  /** UUIDv7. */
  run_id: string;
  /** UUIDv7. */
  id: string;
  attempt: number;
  level: string;
  message: string;
  fields: unknown;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  logged_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  at: string;
};

/** A page of RunLog objects. */
export type RunLogList = {
  data: RunLog[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A named output of a run. */
export type RunOutput = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that reported it. */
  attempt: number;
  name: string;
  value: unknown;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunOutput objects. */
export type RunOutputList = {
  data: RunOutput[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Run if the caller has no permission to read it. */
export type RunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Data of a `status` event in a run's stream: the run without payload and metadata. */
export type RunState = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  job_id: string;
  /** UUIDv7. */
  job_version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Number of the current dispatch. Increases with every dispatch and never repeats. */
  attempt: number;
  /** Attempts counted against `max_attempts`: dispatches that failed, timed out or were lost with their instance. Reset to 0 after a wait. */
  tries_used: number;
  /** Maximum number of tries, counted from the start or the last wait. */
  max_attempts: number;
  timeout_secs: number;
  priority: number;
  tags: Record<string, string>;
  result: unknown;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  concurrency_key: string | null;
  idempotency_key: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  created_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  created_by_id: string | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  /** UUIDv7. */
  parent_run_id: string | null;
  /** UUIDv7. */
  replay_of: string | null;
  /** The newest run created by replaying this one. */
  replayed_by: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  workflow_run_id: string | null;
  step_ref: string | null;
  progress: {
    percent: number | null;
    message: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    updated_at: string;
  } | null;
  pause_requested: boolean;
  /** Cost reported by the run. It excludes compute time, which the run's `/cost` and the usage reports include. */
  cost_microusd: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  dead_lettered_at: string | null;
  /** When the run left the dead-letter list through a replay or a retry of its step. It cannot be replayed again. */
  replayed_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Run metrics over time. */
export type RunTimeseries = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  total: {
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  };
  /** Every bucket of the period, including empty ones, oldest first. */
  buckets: Array<{
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
    /** Time between when a run was due and when it started. */
    start_delay_p50_ms: number | null;
    /** Time between when a run was due and when it started. */
    start_delay_p95_ms: number | null;
    /** Runs that had not ended at the end of the bucket, or until now. */
    open_runs: number;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A tool call reported by a run. */
export type RunToolCall = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that reported it. */
  attempt: number;
  name: string;
  status: "completed" | "failed";
  input: unknown;
  output: unknown;
  error: string | null;
  duration_ms: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunToolCall objects. */
export type RunToolCallList = {
  data: RunToolCall[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A status transition of a run. */
export type RunTransition = {
  /** UUIDv7. */
  run_id: string;
  /** Position of the transition in the run's history, starting at 1. */
  ordinal: number;
  from_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
  to_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Machine-readable cause of the transition. */
  cause: string;
  attempt: number;
  /** Details such as error, HTTP status and duration. */
  detail: unknown;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunTransition objects. */
export type RunTransitionList = {
  data: RunTransition[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Usage and cost reported by a run. */
export type RunUsage = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that reported it. */
  attempt: number;
  provider: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_microusd: number;
  metadata: Record<string, unknown> | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunUsage objects. */
export type RunUsageList = {
  data: RunUsage[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Run metrics by trigger type. */
export type RunsByTrigger = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Runs created in this period. */
  total: number;
  /** Every trigger type, most frequent first. */
  data: Array<{
    trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
    /** Runs created in this period. */
    created: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Failed attempts that were retried. */
    retried: number;
    /** Share of all created runs. */
    share: number | null;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    buckets: Array<{
      /** ISO 8601 timestamp in UTC with milliseconds. */
      starts_at: string;
      /** Runs created in this bucket. */
      created: number;
    }>;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The result for each run, or the expected result on a dry run. */
export type RunsMigration = {
  /** UUIDv7. */
  workflow_id: string;
  to_version: number;
  /** UUIDv7. */
  to_version_id: string;
  dry_run: boolean;
  /** The batch operation that stores these results. Null for a dry run. */
  batch_id: string | null;
  counts: {
    migrated: number;
    would_migrate: number;
    incompatible: number;
    unchanged: number;
  };
  results: Array<{
    /** UUIDv7. */
    workflow_run_id: string;
    status: "migrated" | "would_migrate" | "incompatible" | "unchanged";
    /** The version before the migration. */
    from_version: number | null;
    /** Steps of the target version that are new, and pending. */
    added_steps: string[];
    /** Steps that had not started and are not in the target version. */
    removed_steps: string[];
    /** Why the run was not migrated, at most 20 reasons. */
    reasons: Array<{
      /** Null if the reason concerns the run itself. */
      step_ref: string | null;
      code: "not_found" | "ended" | "compensating" | "already_there" | "other_version" | "step_changed" | "step_removed";
      /** For a changed step: the fields that differ. */
      fields: string[];
      message: string;
    }>;
  }>;
  /** Pass it as `after` to continue. Null if there are no more runs. */
  next_after: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of RunsMigration if the caller has no permission to read it. */
export type RunsMigrationReceipt = {
  dry_run: boolean;
  /** The batch operation that stores these results. Null for a dry run. */
  batch_id: string | null;
  counts: {
    migrated: number;
    would_migrate: number;
    incompatible: number;
    unchanged: number;
  };
  /** Pass it as `after` to continue. Null if there are no more runs. */
  next_after: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Named filters of a list, shared by everyone in the project. */
export type SavedView = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** The list that the view applies to. */
  resource: "runs" | "workflow_runs" | "jobs" | "workflows" | "events" | "webhook_deliveries" | "logs" | "audit_events" | "analytics";
  /** Query parameters of the list as strings: `{"status": "failed", "q": "tag:eu"}`. Stored unchanged. */
  query: Record<string, string>;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of SavedView objects. */
export type SavedViewList = {
  data: SavedView[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of SavedView if the caller has no permission to read it. */
export type SavedViewReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts runs of a job or a workflow at the times of a cron expression. */
export type Schedule = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string | null;
  /** The job to start. Null if it starts a workflow. */
  job_id: string | null;
  /** UUIDv7. */
  workflow_id: string | null;
  /** True if it was created from the `cron` of the job or workflow, and is changed there. */
  is_default: boolean;
  cron: string;
  timezone: string;
  payload: unknown;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  overlap_policy: "allow" | "skip" | "cancel_running";
  /** UUIDv7. */
  environment_id: string | null;
  paused: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  paused_at: string | null;
  /** Null while the schedule is paused. */
  next_fire_at: string | null;
  /** When it last started a run. */
  last_fired_at: string | null;
  /** The run or workflow run that it last started. */
  last_run_id: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Schedule objects. */
export type ScheduleList = {
  data: Schedule[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Schedule if the caller has no permission to read it. */
export type ScheduleReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Saves a checkpoint. */
export type SdkCheckpointBody = {
  /** Any JSON, up to 256 KB. The next attempt receives it. */
  state: unknown;
};

/** Completes the run. */
export type SdkCompleteBody = {
  /** Any JSON, up to 1 MB. */
  result?: unknown;
};

/** The run's new status. */
export type SdkEnded = {
  /** `pending` if the run will be retried. */
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Fails the attempt. */
export type SdkFailBody = {
  error: {
    /** Default: `failed`. */
    code?: string | undefined;
    message: string;
  };
  /** False: do not retry. Default: `true`. */
  retryable?: boolean | undefined;
  /** Overrides the delay of the job's retry strategy. */
  retry_after_secs?: number | null | undefined;
};

/** The response to a heartbeat. */
export type SdkHeartbeat = {
  /** A fresh run token. Null if the run was canceled. */
  token: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  deadline: string | null;
  /** The run was canceled: stop working. */
  cancel_requested: boolean;
  /** A pause was requested: the run is not dispatched again until it is resumed. */
  pause_requested: boolean;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An empty body: the heartbeat itself shows that the job is alive. */
export type SdkHeartbeatBody = Record<string, never>;

/** One line, or several in `logs`. */
export type SdkLogBody = {
  /** Default: `info`. */
  level?: "debug" | "info" | "warn" | "error" | undefined;
  message?: string | undefined;
  fields?: Record<string, unknown> | null | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  logged_at?: string | undefined;
  /** Several lines instead of one. */
  logs?: Array<{
    /** Default: `info`. */
    level?: "debug" | "info" | "warn" | "error" | undefined;
    message: string;
    fields?: Record<string, unknown> | null | undefined;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    logged_at?: string | undefined;
  }> | undefined;
};

/** The number of lines stored. */
export type SdkLogged = {
  /** Number of lines stored. */
  accepted: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The run's stored tags and metadata. */
export type SdkMetadata = {
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Merged into the run's tags and metadata, key by key. */
export type SdkMetadataBody = {
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
};

/** Stores a named output. */
export type SdkOutputBody = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  value: unknown;
};

/** The stored progress. */
export type SdkProgress = {
  percent: number;
  message: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Reports the progress of the run. */
export type SdkProgressBody = {
  percent: number;
  message?: string | null | undefined;
};

/** The stored record. */
export type SdkRecord = {
  /** UUIDv7. */
  id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A run as its own job sees it. */
export type SdkRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  job_id: string;
  /** Number of the current dispatch. Increases with every dispatch and never repeats. */
  attempt: number;
  max_attempts: number;
  /** Dispatches that ended in a failure since the start or the last wait. */
  tries_used: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  /** Payload of the event that resumed the run, or else the saved state. */
  checkpoint: unknown;
  /** The last state saved with /checkpoint in any attempt. */
  state: unknown;
  /** The run's ended waits, in order. */
  waits: Array<{
    /** For a sleep or an awaited child, derived from the wait's id. */
    event_key: string;
    /** Position of the wait in the run, starting at 1. */
    ordinal: number;
    status: "received" | "timed_out" | "canceled";
    payload: unknown;
  }>;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  deadline: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Suspends the run for `secs`, or `until` a time within a year. The response ends the attempt. */
export type SdkSleepBody = {
  secs?: number | null | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  until?: string | null | undefined;
};

/** Spawns a child run in the parent's environment. */
export type SdkSpawnBody = {
  /** Id or slug of the job to start. */
  job_id: string;
  payload?: unknown;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. */
  priority?: number | undefined;
  /** Runs with the same key share the job's `max_concurrency_per_key`, and are interleaved fairly with other keys. */
  concurrency_key?: string | null | undefined;
  /** A request with the same key within 24 hours returns the existing run. Can also be sent as the header `Idempotency-Key`. */
  idempotency_key?: string | null | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at?: string | null | undefined;
  delay_secs?: number | null | undefined;
  /** True: suspends the calling run until the child ends, with `{ok, status, output | error}` as its checkpoint. The response ends the attempt. */
  wait?: boolean | undefined;
  /** How long to wait for the child. Default: one year. When it is over, the calling run times out. */
  wait_timeout_secs?: number | null | undefined;
};

/** Reports a tool call. */
export type SdkToolCallBody = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name: string;
  input?: unknown;
  output?: unknown;
  error?: string | null | undefined;
  /** Default: `failed` if there is an `error`, otherwise `completed`. */
  status?: "completed" | "failed" | undefined;
  duration_ms?: number | null | undefined;
};

/** The stored usage and the run's total cost. */
export type SdkUsage = {
  /** UUIDv7. */
  id: string;
  /** Total cost reported by the run so far. */
  cost_microusd: number;
  /** True if the job's `max_cost_microusd` is exceeded, in which case the run has failed. */
  over_budget: boolean;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Reports usage and cost of the run. */
export type SdkUsageBody = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  provider?: string | null | undefined;
  /** Display name: one line, without control, invisible or text-direction characters. */
  model?: string | null | undefined;
  input_tokens?: number | null | undefined;
  output_tokens?: number | null | undefined;
  /** Millionths of a US dollar. */
  cost_microusd?: number | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | null | undefined;
};

/** Suspends the run until an event arrives. The response ends the attempt. */
export type SdkWaitBody = {
  /** 1 to 512 characters, no control characters. Only one wait at a time can use a key. */
  event_key: string;
  /** If no event arrives within this time, the run times out. Default: `3600`. */
  timeout_secs?: number | undefined;
  /** URL that receives a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
};

/** Sends an event to the wait with its key. */
export type SendEvent = {
  /** Any JSON; null when absent. */
  payload?: unknown;
  /** If nothing is waiting for the key: how long to buffer the event for the next wait. */
  buffer_secs?: number | undefined;
};

/** The event that the callback URL's trigger is waiting for. */
export type SendEventByCallback = {
  /** Any JSON; null when absent. */
  payload?: unknown;
};

/** Sends an event to every wait whose key starts with the prefix. */
export type SendEventPrefix = {
  /** Any JSON; null when absent. */
  payload?: unknown;
  /** Returns which triggers would receive the event, and sends nothing. */
  dry_run?: boolean | undefined;
};

/** A dashboard session. Its token is in the HttpOnly cookie. */
export type Session = {
  kind: "internal_secret" | "api_key" | "member";
  /** UUIDv7. */
  project_id: string | null;
  /** UUIDv7. */
  key_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Sets the budget. Defaults: `action` is `notify`, `thresholds` are 50, 80 and 100. */
export type SetProjectBudget = {
  /** In micro-USD per calendar month (UTC). Null: no budget. */
  monthly_budget_microusd: number | null;
  /** `notify` only sends notifications. `block` also rejects new triggers with 402 `budget_exceeded`, and blocks steps, schedules and retries. */
  action?: "notify" | "block" | undefined;
  /** Percentages of the budget. Each one is reported once per period when it is reached. */
  thresholds?: number[] | undefined;
};

/** Subscribes the caller to the monthly usage e-mail. */
export type SetUsageEmailPreferences = {
  monthly_usage_email: boolean;
  /** Address of the e-mail. For members it comes from their token; API keys have none by default. */
  email?: string | null | undefined;
};

/** What the candidate would have decided differently. Nothing was dispatched or written. */
export type ShadowReport = {
  /** UUIDv7. */
  workflow_id: string;
  /** The candidate's version. Null if it was sent as `steps`. */
  version_id: string | null;
  version: number | null;
  /** Number of runs replayed. */
  runs: number;
  /** Number of runs with differences. */
  differing: number;
  /** Number of differences by kind. */
  counts: {
    ran_to_skipped: number;
    skipped_to_ran: number;
    step_added: number;
    step_missing: number;
    other_outcome: number;
    end_status: number;
  };
  /** Steps with differences or assumptions, ordered by name. */
  steps: Array<{
    step_ref: string;
    ran_to_skipped: number;
    skipped_to_ran: number;
    step_added: number;
    step_missing: number;
    other_outcome: number;
    end_status: number;
    /** Runs in which the step was assumed to complete without output. */
    assumed: number;
  }>;
  /** Summed over all runs. */
  duration: {
    recorded_ms: number;
    replayed_ms: number;
    change_ms: number;
  };
  /** Summed over all runs. */
  cost: {
    recorded_microusd: number;
    replayed_microusd: number;
    change_microusd: number;
  };
  /** Assumed steps that never completed in these runs. They count with zero duration and cost. */
  unestimated: string[];
  /** Runs with differences, newest first, then capsules. */
  results: Array<{
    /** UUIDv7. */
    workflow_run_id: string;
    /** Null for a run of this installation. */
    capsule_id: string | null;
    /** The version that the run used. */
    version: number;
    status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    replayed_status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    differences: Array<{
      /** Null if it concerns the run itself. */
      step_ref: string | null;
      kind: "ran_to_skipped" | "skipped_to_ran" | "step_added" | "step_missing" | "other_outcome" | "end_status";
      /** The recorded status. Null if the run had no such step. */
      was: string | null;
      /** The status with the candidate. Null if the candidate has no such step. */
      is: string | null;
      /** The reason in one sentence. */
      reason: string;
    }>;
    /** Steps that the candidate would start but that have no recorded outcome. */
    assumed: string[];
    /** Length of the longest path of steps, without delays caused by limits. */
    duration: {
      recorded_ms: number;
      replayed_ms: number;
      change_ms: number;
    };
    cost: {
      recorded_microusd: number;
      replayed_microusd: number;
      change_microusd: number;
    };
  }>;
  /** Number of differing runs that are not listed: beyond `limit`, or beyond 10000 differences in total. */
  left_out: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A candidate version and the past runs to replay through it. */
export type ShadowWorkflow = {
  /** Number or id of the candidate version. Default, unless `steps` is given: the newest version. */
  version?: number | string | undefined;
  /** Unsaved candidate steps. All other settings are those of the current version. */
  steps?: StepInput[] | undefined;
  /** Number of the workflow's newest ended runs. Default if no ids are given: 100. */
  last?: number | undefined;
  /** Ended runs of the workflow to replay instead of `last`. */
  workflow_run_ids?: string[] | undefined;
  /** Imported runs of any workflow, instead of `last` or together with `workflow_run_ids`. */
  capsule_ids?: string[] | undefined;
  /** Maximum number of differing runs to list. Default: `100`. */
  limit?: number | undefined;
};

/** Simulates a workflow run. */
export type SimulateWorkflow = {
  /** A version of the workflow. Default: the current version. */
  version_id?: string | undefined;
  /** If given, the response includes the branches that a run with this payload takes. */
  payload?: unknown;
  /** Outcome of steps by `step_ref`. Default: completed with null output. */
  outcomes?: Record<string, {
    status?: "completed" | "failed" | undefined;
    output?: unknown;
  }> | undefined;
};

/** Skips a step. */
export type SkipStep = {
  /** Shown in `explain`. */
  reason?: string | undefined;
};

/** An event received by a source, and the result for each subscription. */
export type SourceEvent = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** The sender's id of the event. */
  event_id: string | null;
  type: string | null;
  /** Dispatched with an API key of the project, or received as a signed webhook. */
  via: "dispatch" | "inbound";
  /** `rejected`: not evaluated against any subscription, see `error`. */
  status: "dispatched" | "rejected";
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
  } | null;
  /** Number of subscriptions whose filter matched. */
  matched: number;
  /** Number of runs started. */
  started: number;
  /** Number of subscriptions that failed to be evaluated or to start a run. */
  failed: number;
  /** Position in a chain of events and runs, counting this event. */
  chain_depth: number;
  /** The run that dispatched it. */
  parent_run_id: string | null;
  /** The event that this one replays. */
  replay_of: string | null;
  /** Name of the actor that dispatched it. */
  received_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  received_by_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  payload: unknown;
  /** Additional information about the event. */
  metadata: Record<string, unknown>;
  /** The result for each subscription. */
  results: Array<{
    /** UUIDv7. */
    subscription_id: string;
    /** UUIDv7. */
    job_id: string | null;
    /** UUIDv7. */
    workflow_id: string | null;
    /** `existing`: an existing run was used (deduplication or debounce). `failed`: nothing was started, see `error`. */
    outcome: "started" | "existing" | "not_matched" | "disabled" | "failed";
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    workflow_run_id: string | null;
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
    } | null;
  }>;
  /** True if the event was received before. The rest is the result from that time. */
  duplicate?: boolean | undefined;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of SourceEvent objects. */
export type SourceEventList = {
  data: SourceEventSummary[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of SourceEvent if the caller has no permission to read it. */
export type SourceEventReceipt = {
  /** UUIDv7. */
  id: string;
  /** `rejected`: not evaluated against any subscription, see `error`. */
  status: "dispatched" | "rejected";
  /** True if the event was received before. The rest is the result from that time. */
  duplicate?: boolean | undefined;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An event received by a source. */
export type SourceEventSummary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** The sender's id of the event. */
  event_id: string | null;
  type: string | null;
  /** Dispatched with an API key of the project, or received as a signed webhook. */
  via: "dispatch" | "inbound";
  /** `rejected`: not evaluated against any subscription, see `error`. */
  status: "dispatched" | "rejected";
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
  } | null;
  /** Number of subscriptions whose filter matched. */
  matched: number;
  /** Number of runs started. */
  started: number;
  /** Number of subscriptions that failed to be evaluated or to start a run. */
  failed: number;
  /** Position in a chain of events and runs, counting this event. */
  chain_depth: number;
  /** The run that dispatched it. */
  parent_run_id: string | null;
  /** The event that this one replays. */
  replay_of: string | null;
  /** Name of the actor that dispatched it. */
  received_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  received_by_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The started run of a job or a workflow. */
export type StartedRun = Run | WorkflowRun;

/** A step as sent. Fields that do not belong to its type are rejected. */
export type StepInput = {
  /** Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, starting with a letter or digit. In conditions, write a name with `-` as `steps["a-b"]`. */
  step_ref: string;
  /** Default: a job step. */
  type?: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow" | undefined;
  /** Steps that must end before this one starts. */
  depends_on?: string[] | undefined;
  /** What happens when the step fails: the run fails (default), its dependents are skipped, or the run continues. */
  on_failure?: "fail_workflow" | "skip_dependents" | "continue" | undefined;
  /** CEL expression over `payload`, `parent_outputs` and `steps.<ref>.status`, evaluated when all of `depends_on` have ended. If false, the step is skipped and counts as done. */
  condition?: string | null | undefined;
  /** Job step, and `map` over a job: id or slug of the job, stored as the id. */
  job_id?: string | undefined;
  /** `sub_workflow`, and `map` over a workflow: id or slug of the workflow, stored as the id. */
  workflow_id?: string | undefined;
  /** `map`: a template that yields a list, such as `{{payload.orders}}`, or a list with templates. At most 10,000 items. */
  items?: unknown;
  /** `map`: maximum number of items that run at the same time, 1 to 1000. Default: 10. */
  max_parallel?: number | undefined;
  /** `map`: how many items may fail without failing the step; true allows all. Default: false, which allows none. The output of a failed item is null. */
  tolerate_failures?: boolean | number | undefined;
  /** Job step and `sub_workflow`: JSON with templates, merged over the payload of the run. `map`: JSON with templates, which can also use `item` and `index`, not merged; default `{item, index}`. */
  payload?: unknown;
  /** Job step: timeout of one attempt, 1 to 86400; null uses the job's setting. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400. */
  timeout_secs?: number | null | undefined;
  /** Job step: 1 to 100; null uses the job's setting. */
  max_attempts?: number | null | undefined;
  /** Job step: −100 to 100; null uses the job's setting. */
  priority?: number | null | undefined;
  /** Job step: template. */
  concurrency_key?: string | null | undefined;
  /** Job step: template, which can also use `output`. When the step completes, an event with this key and the step's output as payload is sent. */
  event_emit_key?: string | null | undefined;
  /** Job step: how long the event is buffered if nothing is waiting for it, 0 to 604800. Default: 0, not buffered. */
  event_emit_buffer_secs?: number | undefined;
  /** Job, map or sub-workflow step: id or slug of the job that undoes it. If the run fails, times out or is canceled after the step completed, this job gets `{input, output}`. For a map that failed or was canceled before it finished, it gets those of its completed items, newest first. */
  compensate_job_id?: string | null | undefined;
  /** `wait_for_event`: template, 1 to 512 characters when rendered. */
  event_key?: string | undefined;
  /** `wait_for_event`: URL that receives a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
  /** `sleep`: a duration such as `30s`, `5m`, `1h30m` or `168h`, up to 365 days. */
  sleep_duration?: string | undefined;
  /** `approval`: who may decide, by API key id, member subject, or an unambiguous name of either; stored as ids and subjects. Empty: everyone with permission to write workflows. */
  approvers?: string[] | undefined;
  /** `approval`: template, shown to the approvers. */
  message?: string | null | undefined;
};

/** A step of a workflow run. */
export type StepRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  workflow_run_id: string;
  step_ref: string;
  type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
  /** Increases when the step is reset. Results of older generations are stale. */
  generation: number;
  output: unknown;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  /** Why the step was skipped or canceled. */
  cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
  /** The step that caused it. */
  cause_ref: string | null;
  /** UUIDv7. */
  run_id: string | null;
  /** UUIDv7. */
  event_trigger_id: string | null;
  /** The approval message, rendered when the step started to wait, cut after 10000 characters. Null if there is none or the step has not started. */
  message: string | null;
  /** State of the compensation. Null if it was not started. */
  compensation_status: "running" | "completed" | "failed" | null;
  /** The run of `compensate_job_id`. */
  compensation_run_id: string | null;
  compensation_error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  compensated_at: string | null;
  /** The workflow run that a `sub_workflow` step started. */
  child_workflow_run_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** For a started `map` step: number of items by status. Only included when a single step is requested. */
  items?: {
    total: number;
    pending: number;
    running: number;
    completed: number;
    failed: number;
    canceled: number;
  } | undefined;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of StepRun objects. */
export type StepRunList = {
  data: StepRun[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of StepRun if the caller has no permission to read it. */
export type StepRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow run that was canceled or paused, and the runs below it. */
export type StoppedWorkflowRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version it runs on: the one it was started with, unless it was migrated. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: the run is undoing its completed steps and will then end with its `error`. */
  phase: "compensating" | null;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  routing_key: string | null;
  idempotency_key: string | null;
  /** Number of failed steps and failed compensations. */
  error_count: number;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  created_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  created_by_id: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  /** The workflow run whose step started this one. */
  parent_workflow_run_id: string | null;
  /** That step, or `ref[index]` for a map item. */
  parent_step_ref: string | null;
  /** The root of the tree of workflow runs. Null if this run is the root. */
  root_workflow_run_id: string | null;
  /** Number of workflow runs above it. */
  depth: number;
  /** Maximum duration, not counting paused time. */
  timeout_secs: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  deadline: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  paused_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** Runs below the workflow run when it was canceled or paused. */
  descendants: {
    /** Job runs that were claimed before the request. A cancel aborts them; a pause lets them finish. No others are claimed. */
    in_flight: number;
    /** Job runs that are blocked in the queue, and workflow runs below it whose state has not been updated yet. */
    pending: number;
  };
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of StoppedWorkflowRun if the caller has no permission to read it. */
export type StoppedWorkflowRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Runs below the workflow run when it was canceled or paused. */
  descendants: {
    /** Job runs that were claimed before the request. A cancel aborts them; a pause lets them finish. No others are claimed. */
    in_flight: number;
    /** Job runs that are blocked in the queue, and workflow runs below it whose state has not been updated yet. */
    pending: number;
  };
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Data of a `change` event in the topic stream. */
export type StreamChange = {
  /** The requested topics that the change belongs to. */
  topics: string[];
  type: "run.status" | "run.progress" | "run.log" | "workflow_run.decision" | "event.status" | "webhook_delivery.status" | "batch.progress";
  /** Id of the run, workflow run, event trigger, webhook delivery or batch operation. */
  id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  at: string;
  /** The new values of what changed: status, timestamps, progress. Payloads are not included. */
  object: Record<string, unknown>;
};

/** The current state of the service, for operators. Contains no tenant data. */
export type System = {
  /** Version of the service. */
  version: string;
  /** Version of Node.js. */
  node: string;
  mode: "dev" | "serve";
  /** The responding instance. */
  instance_id: string;
  database: {
    version: string;
    is_embedded: boolean;
    /** Size of the whole database including indexes. */
    size_bytes: number;
    /** The last migration that was applied. */
    schema_version: string | null;
    /** Open connections to the database, from all programs. */
    connections: number;
    /** Maximum number of connections. */
    max_connections: number;
    /** How far the database clock is ahead of this instance's. */
    clock_ahead_ms: number;
  };
  queue: {
    /** Runs that can start now. Like the other counts, capped at 100,000. */
    ready: number;
    /** Runs that are blocked by a time, a limit or a paused job. */
    parked: number;
    /** Runs claimed by an instance. */
    in_flight: number;
    /** Since when the oldest startable run has been waiting. */
    oldest_ready_at: string | null;
  };
  pool: {
    /** Dispatches in progress on this instance. */
    active: number;
    /** Runs that this instance has claimed and that wait for a free slot. */
    queued: number;
    /** Number of dispatch slots. */
    size: number;
  };
  instances: Array<{
    /** UUIDv7. */
    id: string;
    roles: string[];
    version: string;
    address: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    started_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    seen_at: string;
    /** Has sent a heartbeat within the last 30 seconds. */
    is_alive: boolean;
    /** True for the responding instance. */
    is_this: boolean;
  }>;
  /** Background tasks that one instance runs for all, including reconciliation. */
  tasks: Array<{
    name: string;
    /** The instance that is the leader. */
    holder: string;
    /** How often leadership was acquired. */
    passes: number;
    /** When the last pass ended. Null if a pass is in progress. */
    ended_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    next_due_at: string;
  }>;
  /** Results of the health checks, with remedies for problems. */
  findings: Array<{
    check: string;
    status: "ok" | "warning" | "failed";
    message: string;
    /** How to fix it. Empty if there is nothing to do. */
    remedy: string;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Allows or denies actions on everything with a tag, in addition to scopes and roles. */
export type TagPolicy = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `deny` overrides every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject: string;
  tag_key: string;
  /** Null matches any value. */
  tag_value: string | null;
  /** False if the policy currently has no effect: its resource was deleted, no job, workflow or recent run (of the newest 1,000) has its tag, or none of its actions applies to the resource type. */
  matches_anything: boolean;
  description: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of TagPolicy objects. */
export type TagPolicyList = {
  data: TagPolicy[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of TagPolicy if the caller has no permission to read it. */
export type TagPolicyReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Tests an event. Nothing is started or stored. */
export type TestEvent = {
  /** The sender's id of the event. A repeated id within the source's `dedup_window_secs` starts nothing. */
  id?: string | undefined;
  type?: string | undefined;
  /** Any JSON. Default: an empty object. */
  payload?: unknown;
  /** Additional information about the event. */
  metadata?: Record<string, unknown> | undefined;
};

/** A restricted, short-lived token. It becomes invalid with the API key that created it. */
export type Token = {
  /** Send it as a bearer token, or on streams as `?token=`. It is not stored. */
  token: string;
  scopes: Array<"runs:read" | "workflows:read" | "events:read" | "jobs:trigger" | "events:send">;
  run_ids: string[] | null;
  workflow_run_ids: string[] | null;
  tags: Record<string, string> | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  expires_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts a run, or schedules it with `scheduled_at` or `delay_secs`. */
export type TriggerJob = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Payload of the run. Default: `{}`. */
  payload?: unknown;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. */
  priority?: number | undefined;
  /** Runs with the same key share the job's `max_concurrency_per_key`, and are interleaved fairly with other keys. */
  concurrency_key?: string | undefined;
  /** A request with the same key within 24 hours returns the existing run. Can also be sent as the header `Idempotency-Key`. */
  idempotency_key?: string | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at?: string | undefined;
  delay_secs?: number | undefined;
  timeout_secs?: number | undefined;
  max_attempts?: number | undefined;
  /** Environment id or slug. */
  environment_id?: string | undefined;
  /** UUIDv7. */
  parent_run_id?: string | undefined;
  /** Runs that must complete before this one starts. If one of them fails, this run is canceled. */
  depends_on_run_ids?: string[] | undefined;
  /** Validates everything and creates nothing. */
  dry_run?: boolean | undefined;
};

/** Starts a workflow run, or schedules it with `scheduled_at` or `delay_secs`. */
export type TriggerWorkflow = {
  /** Project id or slug. Optional with an API key, and must then match its project. */
  project_id?: string | undefined;
  /** Payload of the workflow run. Default: `{}`. */
  payload?: unknown;
  /** A request with the same key within 24 hours returns the existing run. Can also be sent as the header `Idempotency-Key`. */
  idempotency_key?: string | undefined;
  /** Runs with the same routing key use the same version. */
  routing_key?: string | undefined;
  /** Number or id of the version to run instead of the current one. */
  version?: number | string | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at?: string | undefined;
  delay_secs?: number | undefined;
  /** Environment id or slug. */
  environment_id?: string | undefined;
  /** Validates everything and creates nothing. */
  dry_run?: boolean | undefined;
};

/** The fields to change. `auto_promote` is replaced as a whole. */
export type UpdateCanary = {
  /** Percentage of new runs that use the target version. */
  traffic_pct?: number | undefined;
  /** Raises the traffic share step by step while the target version is evaluated. */
  auto_promote_config?: {
    /** False: traffic changes only on request. */
    enabled?: boolean | undefined;
    /** Traffic shares in percent, in ascending order. After the last one the canary is promoted. */
    steps?: number[] | undefined;
    /** Minimum time at each share. */
    interval_secs?: number | undefined;
    /** Minimum number of ended runs on the target version: in total before it is evaluated, and at each share before the next one. */
    min_runs?: number | undefined;
    /** How much higher the target's error rate may be than the source's: 0.02 allows 7% if the source has 5%. */
    max_failure_rate_increase?: number | undefined;
    /** How much higher the target's p95 duration may be, relative to the source's: 0.2 allows 20% more. Null: no limit. */
    max_p95_increase?: number | null | undefined;
  } | null | undefined;
};

/** The fields to change. `variables` is replaced as a whole. */
export type UpdateEnvironment = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** Parent whose variables are inherited: id or slug, stored as the id. */
  parent_id?: string | null | undefined;
  /** Passed to every run in the environment. Encrypted at rest. */
  variables?: Record<string, string> | undefined;
};

/** The fields to change. `signature` cannot be changed; create another source instead. */
export type UpdateEventSource = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  description?: string | null | undefined;
  /** JSON Schema that every payload must match. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** How long event ids are remembered. A repeated id within this time starts nothing. 0 disables deduplication. */
  dedup_window_secs?: number | undefined;
  /** False: the source rejects events. */
  enabled?: boolean | undefined;
};

/** The fields to change. The job or workflow and the environment cannot be changed. */
export type UpdateEventSubscription = {
  /** CEL expression over `payload` and `event` (`id`, `type`, `source`, `metadata`), for example `event.type == 'paid'`. */
  filter?: string | null | undefined;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload?: unknown;
  /** Template for the run's concurrency key. */
  concurrency_key?: string | null | undefined;
  enabled?: boolean | undefined;
};

/** The fields to change. Objects and lists are replaced as a whole. */
export type UpdateJob = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** URL that runs are dispatched to. */
  endpoint_url?: string | undefined;
  /** Sent with every dispatch. Encrypted at rest. */
  headers?: Record<string, string> | undefined;
  /** Timeout of one attempt, counted from its dispatch. */
  timeout_secs?: number | undefined;
  /** How long an accepted run may go without a heartbeat. */
  heartbeat_timeout_secs?: number | undefined;
  max_attempts?: number | undefined;
  /** `exponential`: 1 s, doubled each time, up to 1 h. `linear`: 1 s more each time. `fixed`: 1 s. `custom`: your own delays. */
  retry_strategy?: "exponential" | "linear" | "fixed" | "custom" | undefined;
  /** Required for the `custom` strategy, and only allowed there: delays before each retry. The last one repeats. */
  retry_delays_secs?: number[] | null | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  default_run_metadata?: Record<string, unknown> | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Values that do not match are rejected. */
  result_schema?: Record<string, unknown> | null | undefined;
  /** A run that exceeds this cost is stopped. */
  max_cost_microusd?: number | null | undefined;
  /** Job that is triggered when a run fails: id or slug, stored as the id. */
  on_failure_job_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Default environment of runs: id or slug, stored as the id. Null: production. */
  environment_id?: string | null | undefined;
  /** False: the job cannot be triggered. */
  enabled?: boolean | undefined;
  /** Maximum number of runs of the job at the same time. */
  max_concurrency?: number | null | undefined;
  /** Maximum number of runs with the same `concurrency_key` at the same time. */
  max_concurrency_per_key?: number | null | undefined;
  /** Maximum number of starts in any `rate_limit_window_secs`. Set both or neither. */
  rate_limit_max?: number | null | undefined;
  /** Window of `rate_limit_max` in seconds. */
  rate_limit_window_secs?: number | null | undefined;
  /** Additional named rate limits. */
  rate_limit_keys?: Array<{
    name: string;
    /** Template of the limit's key. Runs with the same rendered key share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Maximum number of starts in any window. */
    max: number;
    /** Length of the window in seconds. */
    window_secs: number;
  }> | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron?: string | null | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** A trigger with the same payload within this time returns the existing run and starts none. */
  dedup_window_secs?: number | null | undefined;
  /** A trigger while a run with the same `concurrency_key` is waiting replaces its payload and restarts the wait. */
  debounce_window_secs?: number | null | undefined;
  /** A run that has not started after this time is canceled. */
  run_ttl_secs?: number | null | undefined;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. */
  priority?: number | undefined;
  /** Amount reserved from the budget until a run ends. */
  estimated_cost_microusd?: number | null | undefined;
  cancel_on?: Array<{
    /** Event key, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** The fields to change. Unsent lines are retried immediately. */
export type UpdateLogDrain = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** URL that log records are posted to. */
  url?: string | undefined;
  /** `json`: an array of records. `ndjson`: one record per line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format?: "json" | "ndjson" | "otlp" | "loki" | undefined;
  /** `bearer` requires `token`; `basic` requires `username` and `password`; `header` requires `name` and `value`. */
  auth?: {
    type: "none" | "bearer" | "basic" | "header";
    /** Stored encrypted and never returned. */
    token?: string | undefined;
    username?: string | undefined;
    /** Stored encrypted and never returned. */
    password?: string | undefined;
    name?: string | undefined;
    /** Stored encrypted and never returned. */
    value?: string | undefined;
  } | undefined;
  /** Lines below this level are not sent. */
  min_level?: "debug" | "info" | "warn" | "error" | undefined;
  /** Only lines of these jobs (ids or slugs). Null: all jobs. */
  job_ids?: string[] | null | undefined;
  /** Only lines of runs in this environment. Null: all environments. Id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** A drain that is enabled again starts with the lines logged from then on. */
  enabled?: boolean | undefined;
};

/** The fields to change. */
export type UpdateProject = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  /** Label that groups projects into an organization. */
  org_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Maximum number of waiting event triggers in this project. Null: the service-wide setting. */
  max_active_event_triggers?: number | null | undefined;
  /** Compute cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec?: number | undefined;
};

/** The fields to change. They take effect immediately. */
export type UpdateResourcePolicy = {
  /** `deny` overrides every scope and every `allow`. */
  effect?: "allow" | "deny" | undefined;
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions?: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject?: string | undefined;
  /** A `job` includes its runs and schedules, a `workflow` its workflow runs, and an `environment` everything in it. */
  resource_type?: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation" | undefined;
  /** An id, or `*` for every resource of the type. For a job, workflow or environment also the slug, stored as the id. */
  resource_id?: string | undefined;
  description?: string | null | undefined;
};

/** The fields to change. They take effect immediately for all members with the role. */
export type UpdateRole = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Scopes, or `*` for all of them. */
  permissions?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  description?: string | null | undefined;
  /** Id or name of a role. */
  parent_role_id?: string | null | undefined;
};

/** The fields to change of a run that has not started. `tags` and `metadata` are replaced as a whole. */
export type UpdateRun = {
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Up to 50 key-value pairs of your own, with values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** Each point moves the run one minute ahead in the queue, so that no run starves. */
  priority?: number | undefined;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at?: string | undefined;
};

/** The fields to change. `query` is replaced as a whole. */
export type UpdateSavedView = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Query parameters of the list as strings: `{"status": "failed", "q": "tag:eu"}`. Stored unchanged. */
  query?: Record<string, string> | undefined;
};

/** The fields to change. A new `cron` or `timezone` takes effect from now on. */
export type UpdateSchedule = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | null | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron?: string | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** Payload of every run of the schedule. */
  payload?: unknown;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Environment of its runs: id or slug, stored as the id. Null: the job's or workflow's environment, or else production. */
  environment_id?: string | null | undefined;
};

/** The fields to change. They take effect immediately. */
export type UpdateTagPolicy = {
  /** `deny` overrides every scope and every `allow`. */
  effect?: "allow" | "deny" | undefined;
  /** Scopes, `<area>:*` for all scopes of an area, or `*` for all. */
  actions?: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist. */
  subject?: string | undefined;
  tag_key?: string | undefined;
  /** Null matches any value. */
  tag_value?: string | null | undefined;
  description?: string | null | undefined;
};

/** The fields to change. `headers` is replaced as a whole. Deliveries that already exist keep their URL. */
export type UpdateWebhookSubscription = {
  /** URL that events are posted to. */
  url?: string | undefined;
  /** Event types to deliver: by name, all of a kind such as `run.*`, or `*`. */
  events?: Array<"run.*" | "run.created" | "run.started" | "run.waiting" | "run.paused" | "run.resumed" | "run.retrying" | "run.completed" | "run.failed" | "run.timed_out" | "run.canceled" | "run.dead_lettered" | "workflow_run.*" | "workflow_run.started" | "workflow_run.paused" | "workflow_run.resumed" | "workflow_run.retried" | "workflow_run.completed" | "workflow_run.failed" | "workflow_run.timed_out" | "workflow_run.canceled" | "event_trigger.*" | "event_trigger.created" | "event_trigger.received" | "event_trigger.timed_out" | "event_trigger.canceled" | "budget.*" | "budget.warning" | "budget.exceeded" | "budget.blocked" | "api_key.*" | "api_key.rotation_due" | "*"> | undefined;
  description?: string | null | undefined;
  /** CEL expression over `event`, such as `event.data.tags.team == "billing"`. Only matching events are delivered. */
  filter?: string | null | undefined;
  /** Sent with every delivery. Encrypted at rest and returned as `[redacted]`; send `[redacted]` to keep the stored value. */
  headers?: Record<string, string> | undefined;
  /** Only events in this environment. Null: events in every environment, and those that belong to none. Id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** False: new events are not delivered. Deliveries that already exist continue. */
  enabled?: boolean | undefined;
};

/** The fields to change. Objects and lists, including `steps`, are replaced as a whole. */
export type UpdateWorkflow = {
  /** Display name: one line, without control, invisible or text-direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug?: string | undefined;
  steps?: StepInput[] | undefined;
  description?: string | null | undefined;
  /** Default environment of runs: id or slug, stored as the id. */
  environment_id?: string | null | undefined;
  /** An object of strings. A list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** False: the workflow cannot be triggered. */
  enabled?: boolean | undefined;
  /** Timeout of the whole run, not counting paused time. */
  timeout_secs?: number | null | undefined;
  /** Maximum number of steps that run at the same time, not counting waiting steps. */
  max_parallel_steps?: number | null | undefined;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Payloads that do not match are rejected. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** Maximum number of runs at the same time. Further runs stay pending. */
  max_concurrent_runs?: number | null | undefined;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron?: string | null | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Job that is triggered when a run fails or times out: id or slug, stored as the id. */
  on_failure_job_id?: string | null | undefined;
  cancel_on?: Array<{
    /** 1 to 512 characters, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** False: stores the new version without making it current. */
  activate?: boolean | undefined;
  /** Marks the new version as a breaking change. Runs in flight on the previous version are recorded in the audit log. */
  breaking_change?: boolean | undefined;
};

/** Whether the caller receives the monthly usage e-mail. */
export type UsageEmailPreferences = {
  /** Default: false. */
  monthly_usage_email: boolean;
  email: string | null;
  /** False if the service is not configured to send e-mail. */
  is_mail_configured: boolean;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of UsageHistory objects. */
export type UsageHistory = {
  data: UsagePeriod[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A project's usage in one billing period, a calendar month in UTC. */
export type UsagePeriod = {
  /** ISO 8601 timestamp in UTC with milliseconds. */
  period_starts_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  period_ends_at: string;
  is_current: boolean;
  runs: {
    /** Runs that ended in this period. */
    total: number;
    /** Runs that completed. */
    completed: number;
    /** Runs that failed. */
    failed: number;
    /** Runs that timed out. */
    timed_out: number;
    /** Runs that were canceled. */
    canceled: number;
  };
  /** Attempts that ended in this period. */
  dispatches: number;
  /** Total time of dispatches, with millisecond precision. */
  compute_seconds: number;
  /** Cost of that time at the project's rate. */
  compute_microusd: number;
  /** Cost reported by runs. */
  reported_microusd: number;
  /** Compute and reported cost together. */
  cost_microusd: number;
  /** As reported. */
  input_tokens: number;
  /** As reported. */
  output_tokens: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How much of a workflow's activity uses one version. */
export type VersionImpact = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  /** Number of the workflow's newest runs that were examined, at most 1000. */
  sampled_runs: number;
  /** Number of examined runs on this version. */
  matching_runs: number;
  /** Number of those that have not ended. */
  active_matching_runs: number;
  /** Number of newest matching runs that the step counts cover, at most 200. */
  steps_of_runs: number;
  /** In definition order. */
  steps: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    /** Runs in which the step started. */
    reached: number;
    completed: number;
    failed: number;
    /** Runs in which the step started and has not ended. */
    open: number;
    skipped: number;
    /** Includes runs in which the step had not started. */
    canceled: number;
    /** Durations of completed steps. Null if none completed. */
    durations: {
      p5_ms: number;
      p25_ms: number;
      p50_ms: number;
      p75_ms: number;
      p95_ms: number;
    } | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A webhook delivery. `next_attempt_at` is null while an attempt is in progress. */
export type WebhookDelivery = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The subscription that created the delivery. Null if the URL came from a wait's `notify_url`. */
  subscription_id: string | null;
  /** Sent as `webhook-id`. Equal for all deliveries of one event. */
  event_id: string;
  url: string;
  /** Type of the event, such as `event_trigger.received`. */
  event_type: string;
  /** Type of the object that the event is about. */
  source_type: string;
  source_id: string;
  /** `failed`: no further attempts, on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** Number of attempts since the last manual retry. */
  attempts: number;
  max_attempts: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  next_attempt_at: string | null;
  /** HTTP status of the receiver's response. Null if there was none. */
  last_status_code: number | null;
  /** Why it was not delivered. */
  last_error: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  delivered_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  failed_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A webhook delivery with its body and attempts. */
export type WebhookDeliveryDetail = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The subscription that created the delivery. Null if the URL came from a wait's `notify_url`. */
  subscription_id: string | null;
  /** Sent as `webhook-id`. Equal for all deliveries of one event. */
  event_id: string;
  url: string;
  /** Type of the event, such as `event_trigger.received`. */
  event_type: string;
  /** Type of the object that the event is about. */
  source_type: string;
  source_id: string;
  /** `failed`: no further attempts, on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** Number of attempts since the last manual retry. */
  attempts: number;
  max_attempts: number;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  next_attempt_at: string | null;
  /** HTTP status of the receiver's response. Null if there was none. */
  last_status_code: number | null;
  /** Why it was not delivered. */
  last_error: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  delivered_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  failed_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** The signed request body, identical in every attempt. Null if the caller may not read the object that the event is about. */
  body: string | null;
  /** The newest 100 attempts, oldest first. */
  attempt_history: Array<{
    /** Counted from 1, and again after a manual retry. */
    attempt: number;
    /** HTTP status of the receiver's response. Null if there was none. */
    status_code: number | null;
    /** Why it was not delivered. */
    error: string | null;
    duration_ms: number | null;
    /** `given_back`: it could not be sent and is not counted. `lost`: the sending instance stopped responding. */
    outcome: "delivered" | "refused" | "to_be_retried" | "given_back" | "lost" | null;
    /** The request headers. For headers added by the subscription, only the names. */
    request_headers: Record<string, string> | null;
    response_headers: Record<string, string> | null;
    /** The first 4,096 characters of the response body. */
    response_body: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    started_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    finished_at: string | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WebhookDelivery objects. */
export type WebhookDeliveryList = {
  data: WebhookDelivery[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of WebhookDelivery if the caller has no permission to read it. */
export type WebhookDeliveryReceipt = {
  /** UUIDv7. */
  id: string;
  /** `failed`: no further attempts, on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Health of webhook receivers. */
export type WebhookEndpointHealth = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Ordered by number of failures, highest first. */
  data: Array<{
    /** The subscription's URL. For waits with a notify_url: the host, for all waits that use it. */
    endpoint: string;
    /** UUIDv7. */
    subscription_id: string | null;
    /** Whether the subscription is enabled. Null if it was deleted or there was none. */
    enabled: boolean | null;
    /** Delivery attempts. */
    attempts: number;
    /** Attempts answered with 2xx. */
    delivered: number;
    /** Permanent failures: 4xx, 3xx, or an address that is not allowed. */
    refused: number;
    /** Temporary failures: 5xx, connection error or timeout. */
    to_be_retried: number;
    /** Attempts with an unknown outcome: the sending instance stopped responding. */
    lost: number;
    /** delivered / attempts. Null if there were no attempts. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
    /** The last delivery in this period that failed permanently, among the project's newest 500. */
    last_failure: {
      /** UUIDv7. */
      delivery_id: string;
      /** ISO 8601 timestamp in UTC with milliseconds. */
      failed_at: string;
      status_code: number | null;
      error: string | null;
    } | null;
    buckets: Array<{
      /** ISO 8601 timestamp in UTC with milliseconds. */
      starts_at: string;
      /** Delivery attempts. */
      attempts: number;
      /** Attempts answered with 2xx. */
      delivered: number;
      /** Permanent failures: 4xx, 3xx, or an address that is not allowed. */
      refused: number;
      /** Temporary failures: 5xx, connection error or timeout. */
      to_be_retried: number;
      /** Attempts with an unknown outcome: the sending instance stopped responding. */
      lost: number;
      /** delivered / attempts. Null if there were no attempts. */
      success_rate: number | null;
      /** Median. Null if nothing was measured. */
      p50_ms: number | null;
      /** 95th percentile. */
      p95_ms: number | null;
      /** 99th percentile. */
      p99_ms: number | null;
    }>;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The new signing secret. */
export type WebhookSecret = {
  /** Signs outgoing requests (`whsec_…`). Returned only once. */
  webhook_secret: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  previous_secret_expires_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Delivers the project's events to an external receiver. */
export type WebhookSubscription = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Only events in this environment. Null: events in every environment, and those that belong to none. */
  environment_id: string | null;
  url: string;
  description: string | null;
  events: string[];
  filter: string | null;
  /** Header names. The values are not shown. */
  headers: Record<string, string>;
  enabled: boolean;
  /** Number of consecutive failures among the newest deliveries, at most 100. */
  consecutive_failures: number;
  /** Among the newest 100 deliveries. */
  last_delivered_at: string | null;
  /** Events that were not delivered because the filter could not be evaluated. */
  filter_errors: number;
  last_filter_error: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  last_filter_error_at: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WebhookSubscription objects. */
export type WebhookSubscriptionList = {
  data: WebhookSubscription[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of WebhookSubscription if the caller has no permission to read it. */
export type WebhookSubscriptionReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The result of sending a `webhook.test` event. It is sent once and not stored. */
export type WebhookTest = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** The beginning of the response body. */
  response_body: string | null;
  /** The request body that was sent. */
  sent: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of WebhookTest if the caller has no permission to read it. */
export type WebhookTestReceipt = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow: steps and the dependencies between them. */
export type Workflow = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens. Unique within its parent. Accepted wherever the id is. */
  slug: string;
  name: string;
  description: string | null;
  /** Default environment of runs. Null: production. */
  environment_id: string | null;
  /** False: the workflow cannot be triggered. */
  enabled: boolean;
  /** Maximum number of runs at the same time. Further runs stay pending. */
  max_concurrent_runs: number | null;
  /** Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once. */
  cron: string | null;
  /** IANA time zone name, such as `Europe/Berlin`. */
  timezone: string;
  /** What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first. */
  cron_overlap_policy: "allow" | "skip" | "cancel_running";
  /** Job that is triggered when a run fails or times out. */
  on_failure_job_id: string | null;
  cancel_on: Array<{
    /** 1 to 512 characters, rendered with the run's payload. An event with this key cancels the run. */
    event_key: string;
  }>;
  steps: WorkflowStep[];
  /** Timeout of the whole run, not counting paused time. */
  timeout_secs: number | null;
  /** Maximum number of steps that run at the same time, not counting waiting steps. */
  max_parallel_steps: number | null;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Payloads that do not match are rejected. */
  payload_schema: Record<string, unknown> | null;
  tags: Record<string, string>;
  /** Number of the newest version. */
  version: number;
  /** Number of the version that new runs use and whose steps are shown. */
  current_version: number;
  /** Id of the version that new runs use. */
  version_id: string;
  /** The active canary, or else the last one. Null before the first. */
  canary_id: string | null;
  /** Number of runs in flight on the replaced version. Absent if there are none. */
  active_runs_on_previous_version?: number | undefined;
  /** The replaced version. Absent if it has no runs in flight. */
  previous_version_id?: string | undefined;
  /** The version that was stored without becoming the current one. */
  inactive_version_id?: string | undefined;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Completion and success rates per workflow. */
export type WorkflowCompletionRates = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Ordered by number of runs started, highest first. */
  data: Array<{
    /** UUIDv7. */
    workflow_id: string;
    /** Null if the workflow was deleted. */
    workflow_slug: string | null;
    /** Workflow runs created in this period that have started. */
    started: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Number of step resets. A run retried after it ended is counted each time it ends. */
    retried: number;
    /** Runs that ended, minus retried ones, divided by runs started. Null if none started. */
    completion_rate: number | null;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
    versions: Array<{
      /** UUIDv7. */
      version_id: string;
      version: number | null;
      /** Workflow runs created in this period that have started. */
      started: number;
      /** Ended with status `completed` in this period. */
      completed: number;
      /** Ended with status `failed` in this period. */
      failed: number;
      /** Ended with status `timed_out` in this period. */
      timed_out: number;
      /** Ended with status `canceled` in this period. */
      canceled: number;
      /** Number of step resets. A run retried after it ended is counted each time it ends. */
      retried: number;
      /** Runs that ended, minus retried ones, divided by runs started. Null if none started. */
      completion_rate: number | null;
      /** completed / (completed + failed + timed_out). Null if none ended. */
      success_rate: number | null;
    }>;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A decision about a workflow run, recorded when it was made. */
export type WorkflowDecision = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** Position of the decision in the workflow run, starting at 1. */
  ordinal: number;
  /** Null if it concerns the workflow run itself. */
  step_ref: string | null;
  decision_type: "start" | "condition" | "skip" | "fail" | "hold" | "wait" | "event" | "complete" | "emit" | "cancel" | "retry" | "approve" | "reject" | "pause" | "resume" | "migrate" | "compensate" | "end";
  /** The reason in one sentence. */
  reason: string;
  /** Further details, or null. */
  detail: unknown;
  /** Name of the actor that decided. Null if it followed from the workflow definition. */
  decided_by: string | null;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  decided_by_id: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowDecision objects. */
export type WorkflowDecisionList = {
  data: WorkflowDecision[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The differences between two versions of a workflow. */
export type WorkflowDiff = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  from_version_id: string;
  from_version: number;
  /** UUIDv7. */
  to_version_id: string;
  to_version: number;
  /** Steps that only the second version has. */
  added: string[];
  /** Steps that only the first version has. */
  removed: string[];
  changed: Array<{
    step_ref: string;
    changes: Array<{
      field: string;
      old: unknown;
      new: unknown;
    }>;
  }>;
  /** Changes of `timeout_secs`, `max_parallel_steps` and `payload_schema`. */
  changed_settings: Array<{
    field: string;
    old: unknown;
    new: unknown;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The current state of a workflow run as a graph. */
export type WorkflowGraph = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: the run is undoing its completed steps and will then end with its `error`. */
  phase: "compensating" | null;
  /** In definition order. */
  nodes: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
    /** Increases when the step is reset. Results of older generations are stale. */
    generation: number;
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    /** Why the step was skipped or canceled. */
    cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
    /** The step that caused it. */
    cause_ref: string | null;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    event_trigger_id: string | null;
    /** The approval message, rendered when the step started to wait, cut after 10000 characters. Null if there is none or the step has not started. */
    message: string | null;
    /** State of the compensation. Null if it was not started. */
    compensation_status: "running" | "completed" | "failed" | null;
    /** The run of `compensate_job_id`. */
    compensation_run_id: string | null;
    compensation_error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    compensated_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    started_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    finished_at: string | null;
    /** From start to end, or until now. Null if it has not started. */
    duration_ms: number | null;
    /** Median of its last 100 completed runs in this version. Null if there were fewer than 5. */
    estimate_ms: number | null;
  }>;
  /** `to` depends on `from`. */
  edges: Array<{
    from: string;
    to: string;
  }>;
  /** Pending steps whose dependencies are all done, in start order. While the run is pending or paused, they wait for it; once it has ended, there are none. */
  runnable: string[];
  /** The chain of steps that determines the duration of the workflow run. */
  critical_path: {
    /** `durations` once the workflow run has ended: the actual durations of its steps. */
    basis: "estimates" | "durations";
    step_refs: string[];
    /** Length of the path. Null while a step that has not ended has no estimate. */
    estimate_ms: number | null;
    /** Estimated time until the workflow run ends, along the longest path. Null when `estimate_ms` is. */
    remaining_ms: number | null;
    /** Steps that have not ended and have no estimate. */
    unestimated: string[];
  };
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Workflow objects. */
export type WorkflowList = {
  data: Workflow[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The order in which the steps of a workflow run. Nothing is changed. */
export type WorkflowPlan = {
  /** UUIDv7. */
  workflow_id: string;
  /** The version that the plan is based on. */
  version_id: string;
  version: number;
  /** Whether the given steps differ from those of the version. */
  is_overridden: boolean;
  /** Whether it could be saved: there are no validation errors and no policy violations. */
  is_valid: boolean;
  step_count: number;
  /** Topological order: every step after the steps it depends on. */
  order: string[];
  /** Steps of a wave can start when the previous waves have ended. */
  waves: Array<string[]>;
  steps: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    depends_on: string[];
    /** Null if the step is part of a cycle or depends on one. */
    wave: number | null;
    /** Median of its last 100 completed runs in this version. Null if there were fewer than 5, or the step was changed. */
    estimate_ms: number | null;
  }>;
  /** The chain of steps that determines the duration of a run. Null if there are validation errors. */
  critical_path: {
    step_refs: string[];
    /** Null while a step has no estimate. */
    estimate_ms: number | null;
    unestimated: string[];
  } | null;
  policy_violations: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** The rejected value. */
    value: unknown;
  }>;
  /** Validation errors that would prevent saving, apart from the policy. */
  faults: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** The rejected value. */
    value: unknown;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Restrictions on a project's workflows, checked whenever steps are saved. */
export type WorkflowPolicy = {
  /** UUIDv7. */
  project_id: string;
  /** Maximum number of steps that depend directly on one step. Null: no limit. */
  max_fan_out: number | null;
  /** Maximum number of steps in a row. Null: no limit. */
  max_depth: number | null;
  /** Maximum number of steps per workflow. Null: only the service's own limit. */
  max_steps: number | null;
  forbidden_step_types: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow">;
  /** A changed version becomes current only when someone other than its author activates it. */
  require_approval_for_deploy: boolean;
  /** Null if no policy has been set. */
  updated_by: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of Workflow if the caller has no permission to read it. */
export type WorkflowReceipt = {
  /** UUIDv7. */
  id: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** One durable execution of a workflow. */
export type WorkflowRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version it runs on: the one it was started with, unless it was migrated. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: the run is undoing its completed steps and will then end with its `error`. */
  phase: "compensating" | null;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  routing_key: string | null;
  idempotency_key: string | null;
  /** Number of failed steps and failed compensations. */
  error_count: number;
  error: {
    /** Machine-readable error code. */
    code: string;
    /** Human-readable error message. */
    message: string;
    /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
    by_id?: string | undefined;
  } | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  created_by: string;
  /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
  created_by_id: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  /** The workflow run whose step started this one. */
  parent_workflow_run_id: string | null;
  /** That step, or `ref[index]` for a map item. */
  parent_step_ref: string | null;
  /** The root of the tree of workflow runs. Null if this run is the root. */
  root_workflow_run_id: string | null;
  /** Number of workflow runs above it. */
  depth: number;
  /** Maximum duration, not counting paused time. */
  timeout_secs: number | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  scheduled_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  started_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  deadline: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  paused_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  finished_at: string | null;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  updated_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowRun objects. */
export type WorkflowRunList = {
  data: WorkflowRun[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Returned by a write instead of WorkflowRun if the caller has no permission to read it. */
export type WorkflowRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Data of a `status` event in a workflow run's stream: the run without its payload, and its steps in definition order without their outputs. */
export type WorkflowRunState = {
  run: {
    /** UUIDv7. */
    id: string;
    /** UUIDv7. */
    project_id: string;
    /** UUIDv7. */
    workflow_id: string;
    /** The version it runs on: the one it was started with, unless it was migrated. */
    version: number;
    /** UUIDv7. */
    version_id: string;
    /** UUIDv7. */
    environment_id: string;
    status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    /** `compensating`: the run is undoing its completed steps and will then end with its `error`. */
    phase: "compensating" | null;
    tags: Record<string, string>;
    metadata: Record<string, unknown>;
    routing_key: string | null;
    idempotency_key: string | null;
    /** Number of failed steps and failed compensations. */
    error_count: number;
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
    created_by: string;
    /** Id of the actor named in the field before it, as in audit events: an API key's id or a member's subject. Null for the service itself and the internal secret. */
    created_by_id: string | null;
    /** UUIDv7. */
    schedule_id: string | null;
    /** UUIDv7. */
    batch_id: string | null;
    /** The workflow run whose step started this one. */
    parent_workflow_run_id: string | null;
    /** That step, or `ref[index]` for a map item. */
    parent_step_ref: string | null;
    /** The root of the tree of workflow runs. Null if this run is the root. */
    root_workflow_run_id: string | null;
    /** Number of workflow runs above it. */
    depth: number;
    /** Maximum duration, not counting paused time. */
    timeout_secs: number | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    scheduled_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    started_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    deadline: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    paused_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    finished_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    updated_at: string;
  };
  steps: Array<{
    /** UUIDv7. */
    id: string;
    /** UUIDv7. */
    workflow_run_id: string;
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
    /** Increases when the step is reset. Results of older generations are stale. */
    generation: number;
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    /** Why the step was skipped or canceled. */
    cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
    /** The step that caused it. */
    cause_ref: string | null;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    event_trigger_id: string | null;
    /** The approval message, rendered when the step started to wait, cut after 10000 characters. Null if there is none or the step has not started. */
    message: string | null;
    /** State of the compensation. Null if it was not started. */
    compensation_status: "running" | "completed" | "failed" | null;
    /** The run of `compensate_job_id`. */
    compensation_run_id: string | null;
    compensation_error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    compensated_at: string | null;
    /** The workflow run that a `sub_workflow` step started. */
    child_workflow_run_id: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    started_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    finished_at: string | null;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    created_at: string;
    /** ISO 8601 timestamp in UTC with milliseconds. */
    updated_at: string;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A simulated run. Nothing is started. */
export type WorkflowSimulation = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  step_count: number;
  /** All steps in topological order. */
  predicted_order: string[];
  /** The run as decided by the same planner as real runs. Null if no payload was given. */
  branches: {
    status: "completed" | "failed";
    error: {
      /** Machine-readable error code. */
      code: string;
      /** Human-readable error message. */
      message: string;
      /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
      by_id?: string | undefined;
    } | null;
    error_count: number;
    /** The steps that start. */
    order: string[];
    /** The steps that are compensated before the run ends, in order. */
    compensations: string[];
    steps: Array<{
      step_ref: string;
      status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
      /** Why the step was skipped or canceled. */
      cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
      /** The step that caused it. */
      cause_ref: string | null;
      error: {
        /** Machine-readable error code. */
        code: string;
        /** Human-readable error message. */
        message: string;
        /** Actor that ended it, if it was an API key or a member: the id used in audit events. */
        by_id?: string | undefined;
      } | null;
      /** Result of the condition. Null if there is none or it was not evaluated. */
      condition: boolean | null;
      /** When the step starts; steps of a round run at the same time. Null if it does not start. */
      round: number | null;
      reason: string | null;
    }>;
  } | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A step of a workflow, with all fields of its type. */
export type WorkflowStep = {
  /** Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, starting with a letter or digit. In conditions, write a name with `-` as `steps["a-b"]`. */
  step_ref: string;
  /** Default: a job step. */
  type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
  /** Steps that must end before this one starts. */
  depends_on: string[];
  /** What happens when the step fails: the run fails (default), its dependents are skipped, or the run continues. */
  on_failure: "fail_workflow" | "skip_dependents" | "continue";
  /** CEL expression over `payload`, `parent_outputs` and `steps.<ref>.status`, evaluated when all of `depends_on` have ended. If false, the step is skipped and counts as done. */
  condition: string | null;
  /** Job step, and `map` over a job: id or slug of the job, stored as the id. */
  job_id?: string | undefined;
  /** `sub_workflow`, and `map` over a workflow: id or slug of the workflow, stored as the id. */
  workflow_id?: string | undefined;
  /** `map`: a template that yields a list, such as `{{payload.orders}}`, or a list with templates. At most 10,000 items. */
  items?: unknown;
  /** `map`: maximum number of items that run at the same time, 1 to 1000. Default: 10. */
  max_parallel?: number | undefined;
  /** `map`: how many items may fail without failing the step; true allows all. Default: false, which allows none. The output of a failed item is null. */
  tolerate_failures?: boolean | number | undefined;
  /** Job step and `sub_workflow`: JSON with templates, merged over the payload of the run. `map`: JSON with templates, which can also use `item` and `index`, not merged; default `{item, index}`. */
  payload?: unknown;
  /** Job step: timeout of one attempt, 1 to 86400; null uses the job's setting. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400. */
  timeout_secs?: number | null | undefined;
  /** Job step: 1 to 100; null uses the job's setting. */
  max_attempts?: number | null | undefined;
  /** Job step: −100 to 100; null uses the job's setting. */
  priority?: number | null | undefined;
  /** Job step: template. */
  concurrency_key?: string | null | undefined;
  /** Job step: template, which can also use `output`. When the step completes, an event with this key and the step's output as payload is sent. */
  event_emit_key?: string | null | undefined;
  /** Job step: how long the event is buffered if nothing is waiting for it, 0 to 604800. Default: 0, not buffered. */
  event_emit_buffer_secs?: number | undefined;
  /** Job, map or sub-workflow step: id or slug of the job that undoes it. If the run fails, times out or is canceled after the step completed, this job gets `{input, output}`. For a map that failed or was canceled before it finished, it gets those of its completed items, newest first. */
  compensate_job_id?: string | null | undefined;
  /** `wait_for_event`: template, 1 to 512 characters when rendered. */
  event_key?: string | undefined;
  /** `wait_for_event`: URL that receives a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
  /** `sleep`: a duration such as `30s`, `5m`, `1h30m` or `168h`, up to 365 days. */
  sleep_duration?: string | undefined;
  /** `approval`: who may decide, by API key id, member subject, or an unambiguous name of either; stored as ids and subjects. Empty: everyone with permission to write workflows. */
  approvers?: string[] | undefined;
  /** `approval`: template, shown to the approvers. */
  message?: string | null | undefined;
};

/** Totals over all workflows. */
export type WorkflowSummary = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  from: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the rollups were last updated. Null if never. */
  as_of: string | null;
  /** Workflows with at least one run that started or ended in this period. */
  workflows: number;
  total: {
    /** Workflow runs created in this period that have started. */
    started: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Number of step resets. A run retried after it ended is counted each time it ends. */
    retried: number;
    /** Runs that ended, minus retried ones, divided by runs started. Null if none started. */
    completion_rate: number | null;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  };
  buckets: Array<{
    /** ISO 8601 timestamp in UTC with milliseconds. */
    starts_at: string;
    /** Workflow runs created in this period that have started. */
    started: number;
    /** Ended with status `completed` in this period. */
    completed: number;
    /** Ended with status `failed` in this period. */
    failed: number;
    /** Ended with status `timed_out` in this period. */
    timed_out: number;
    /** Ended with status `canceled` in this period. */
    canceled: number;
    /** Number of step resets. A run retried after it ended is counted each time it ends. */
    retried: number;
    /** completed / (completed + failed + timed_out). Null if none ended. */
    success_rate: number | null;
    /** Median. Null if nothing was measured. */
    p50_ms: number | null;
    /** 95th percentile. */
    p95_ms: number | null;
    /** 99th percentile. */
    p99_ms: number | null;
  }>;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The definition of one version of a workflow. Immutable. */
export type WorkflowVersion = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  version: number;
  steps: WorkflowStep[];
  /** Timeout of the whole run, not counting paused time. */
  timeout_secs: number | null;
  /** Maximum number of steps that run at the same time, not counting waiting steps. */
  max_parallel_steps: number | null;
  /** JSON Schema (2020-12, or draft-07 if `$schema` says so), up to 64 KB. Payloads that do not match are rejected. */
  payload_schema: Record<string, unknown> | null;
  /** Marked as a breaking change by its author. */
  breaking_change: boolean;
  /** Who activated the version, if not its author. */
  approved_by: string | null;
  created_by: string;
  /** ISO 8601 timestamp in UTC with milliseconds. */
  created_at: string;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowVersion objects. */
export type WorkflowVersionList = {
  data: WorkflowVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Pass it as `cursor` to read the next page. */
  next_cursor: string | null;
  /** URL of this object's JSON Schema. */
  $schema?: string | undefined;
};

// Written by `npm run generate` from the contract. Do not edit.
// biome-ignore-all format: generated

/** Whether something is allowed, and why. */
export type AccessDecision = {
  allowed: boolean;
  /** In a sentence. */
  reason: string;
  decided_by: "scope" | "allow_policy" | "deny_policy" | "environment" | "nothing" | "internal_secret";
  /** UUIDv7. */
  policy_id: string | null;
  /** Of a member: the roles from theirs to the one. */
  granted_by: string[] | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A version of a workflow with runs that have not ended. */
export type ActiveVersion = {
  /** UUIDv7. */
  version_id: string;
  version: number;
  /** New runs take it. */
  is_current: boolean;
  /** Those below together. */
  active_runs: number;
  pending: number;
  running: number;
  paused: number;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ActiveVersion objects. */
export type ActiveVersionList = {
  data: ActiveVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
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
  /** The project's org: the key may then read every project of it. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null: all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this. */
  rotation_interval_days: number | null;
  /** ISO 8601, UTC, milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601, UTC, milliseconds. */
  previous_key_expires_at: string | null;
  /** Also by a session or a token that the key has made; up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  revoked_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ApiKey objects. */
export type ApiKeyList = {
  data: ApiKey[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A person and a role. Who is a member already gets the new role. */
export type AssignMember = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** `sub` of the tokens that the identity provider gives to this person. */
  subject: string;
  /** Id or name of a role. */
  role_id: string;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | null | undefined;
};

/** Up to a hundred people with their roles. */
export type AssignMembers = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  members: Array<{
    subject: string;
    role_id: string;
    name?: string | null | undefined;
  }>;
};

/** Who changed what, when and from where. */
export type AuditEvent = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `api_key`, `internal_secret`, `member`, `service` … */
  actor_kind: string;
  /** Of an API key: its id. */
  actor_id: string | null;
  actor_name: string | null;
  /** Such as `job.updated`. */
  action: string;
  resource_type: string;
  resource_id: string;
  /** What was changed as it was before. Secrets are not in it. */
  before: Record<string, unknown> | null;
  /** The same as it was after the change. */
  after: Record<string, unknown> | null;
  ip: string | null;
  user_agent: string | null;
  /** The `X-Request-Id` of the request. */
  request_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** It has its place in the chain: within seconds of the change. */
  sealed: boolean;
  /** Its number in the chain of the project, from 1. */
  chain_no: number | null;
  /** Over this event and all before it, as hexadecimal digits. */
  hash: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of AuditEvent objects. */
export type AuditEventList = {
  data: AuditEvent[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Whether the audit events of a project are what was recorded. */
export type AuditVerification = {
  valid: boolean;
  /** Events whose hash was computed again: at most 50,000 in a call. */
  checked: number;
  /** There is more: call again with this as `after`. */
  next_after: number | null;
  /** Events that are too new to have their place in the chain. */
  unsealed: number;
  /** The first hundred. */
  faults: Array<{
    kind: "edited" | "missing" | "cut_off" | "head_forged" | "start_forged";
    chain_no: number | null;
    event_id: string | null;
    message: string;
  }>;
  /** The signed end and beginning of a project's chain of audit events. */
  head: {
    /** UUIDv7. */
    project_id: string;
    /** The number of the newest event of the chain. */
    count: number;
    /** Hexadecimal digits. */
    hash: string;
    /** Ed25519, base64. */
    signature: string;
    /** The newest event that retention has removed; 0: none. */
    start_no: number;
    /** Hexadecimal digits. */
    start_hash: string;
    /** Ed25519, base64. */
    start_signature: string;
    /** Ed25519, base64: keep it, and check exports with it. */
    public_key: string;
    /** ISO 8601, UTC, milliseconds. */
    sealed_at: string;
  } | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What became of one item. */
export type BatchItem = {
  /** UUIDv7. */
  batch_id: string;
  /** Its place: in the request, or in the order in which items were done. */
  index: number;
  /** What was acted on: a run, or a workflow run. */
  target_id: string | null;
  status: "succeeded" | "failed" | "skipped";
  error: {
    code: string;
    message: string;
  } | null;
  /** What came of it, such as the run that a replay made. */
  detail: unknown;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of BatchItem objects. */
export type BatchItemList = {
  data: BatchItem[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A bulk call and how far it has come. */
export type BatchOperation = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** What is done to each item: trigger, cancel, cancel_all, replay, dlq_replay, cancel_workflow_runs, migrate_workflow_runs, webhook_retry. */
  kind: string;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  /** What was asked for. */
  request: unknown;
  /** Items it has. With a filter: as counted at its start (0: not in time), exact at its end. */
  total: number;
  /** `succeeded` + `failed` + `skipped`. */
  processed: number;
  succeeded: number;
  failed: number;
  /** Items that needed nothing any more when their turn came. */
  skipped: number;
  /** How far it has come. 100 when it is completed. */
  percent: number;
  /** Why the whole was given up. */
  error: string | null;
  created_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of BatchOperation objects. */
export type BatchOperationList = {
  data: BatchOperation[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of BatchOperation to a caller who may not read it. */
export type BatchOperationReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An event that waits for its waiter, or cancels runs by the `cancel_on` of their jobs and workflows. */
export type BufferedEvent = {
  /** Nobody waited. True: the event is kept for the next who waits for the key. False: it cancels runs, and is not kept. */
  buffered: boolean;
  /** UUIDv7. */
  id: string;
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string | null;
  /** How many runs it cancels, when it cancels any. */
  canceled_runs?: number | undefined;
  /** Runs among them, the first hundred. */
  canceled_run_ids?: string[] | undefined;
  /** Workflow runs among them, the first hundred. */
  canceled_workflow_run_ids?: string[] | undefined;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of BufferedEvent to a caller who may not read it. */
export type BufferedEventReceipt = {
  /** UUIDv7. */
  id: string;
  /** Nobody waited. True: the event is kept for the next who waits for the key. False: it cancels runs, and is not kept. */
  buffered: boolean;
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Cancels every run that fits the filter and has not ended, except those created after the call. */
export type BulkCancelAll = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** As in `GET /v1/runs`. An empty one is refused. */
  filter: {
    /** One status, or several with commas between them. */
    status?: string | undefined;
    /** Job id or slug. */
    job_id?: string | undefined;
    /** UUIDv7. */
    batch_id?: string | undefined;
    /** Runs that share it share the job's `max_concurrency_per_key`, and take turns with other keys. */
    concurrency_key?: string | undefined;
    /** Matches the name in `created_by`, or the id in `created_by_id`. */
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
    /** `key`, or `key:value`: the first colon divides. A colon of the key itself is written `\:`. */
    tag?: string | undefined;
    /** JSON that the payload contains: `{"user":{"id":42}}`. Numbers and strings are not the same. */
    payload_contains?: string | undefined;
    /** A query: `status:failed -tag:noise payload.user.id:42 since:24h`. Joined to the other filters by and. */
    q?: string | undefined;
    /** True: the dead-letter list. False: what is not on it. */
    dead_letter?: boolean | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  };
  /** Told in the `error` of each run. */
  reason?: string | undefined;
  /** Answers how many runs it would be, and cancels none. */
  dry_run?: boolean | undefined;
};

/** How many runs would be canceled. */
export type BulkCancelAllPreview = {
  dry_run: boolean;
  /** Runs that fit now, without those below them. Null: too many were looked at to count them in time. */
  count: number | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of BulkCancelAllPreview to a caller who may not read it. */
export type BulkCancelAllPreviewReceipt = {
  dry_run: boolean;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Up to 100 runs to cancel. */
export type BulkCancelRuns = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** One that is named twice is taken once. */
  run_ids: string[];
  /** Told in the `error` of each run. */
  reason?: string | undefined;
};

/** What became of each run, in the order they were first named. */
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
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Up to 100 workflow runs to cancel. */
export type BulkCancelWorkflowRuns = {
  /** One that is named twice is taken once. */
  workflow_run_ids: string[];
  /** Told in the `error` of what it ends. */
  reason?: string | undefined;
};

/** What became of each workflow run, in the order they were first named. */
export type BulkCancelWorkflowRunsResult = {
  /** UUIDv7. */
  batch_id: string;
  results: Array<{
    index: number;
    /** UUIDv7. */
    workflow_run_id: string;
    status: "canceled" | "failed";
    error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Dead letters to do again: by name or by filter. */
export type BulkReplayDeadLetters = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  run_ids?: string[] | undefined;
  /** Which dead letters; `{}` is all of them. */
  filter?: {
    /** Job id or slug. */
    job_id?: string | undefined;
    /** In the code or the message, in any case. */
    error_contains?: string | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  } | undefined;
  /** With `filter`: at most so many. */
  limit?: number | undefined;
};

/** Up to 100 ended runs to do again, each as a new run. */
export type BulkReplayRuns = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  run_ids: string[];
  /** Answers what would become of each, and creates nothing. */
  dry_run?: boolean | undefined;
};

/** The new run of each, in the order they were sent. */
export type BulkReplayRunsResult = {
  dry_run: boolean;
  /** The batch operation that keeps these results; null for a dry run. */
  batch_id: string | null;
  results: Array<{
    index: number;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    replay_of: string;
    /** `would_create`: of a dry run. */
    status: "created" | "would_create" | "failed";
    error: {
      code: string;
      message: string;
    } | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Failed deliveries to send again: up to 100 by name, at once; or by filter, in the background. */
export type BulkRetryDeliveries = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  delivery_ids?: string[] | undefined;
  /** Which failed deliveries; `{}` is all of them. */
  filter?: {
    /** Only those to this very URL. */
    url?: string | undefined;
    /** Only those of this subscription. */
    subscription_id?: string | undefined;
    /** Only those that tell this. */
    event_type?: string | undefined;
    /** Only those to this host, with its port if it has one. */
    host?: string | undefined;
    /** Created at this time or later. */
    from?: string | undefined;
    /** Created before this time. */
    to?: string | undefined;
  } | undefined;
};

/** What became of each delivery, in the order they were sent. */
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
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Up to 100 runs of one job. */
export type BulkTrigger = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  items: Array<{
    /** What the job works on; `{}` when absent. */
    payload?: unknown;
    /** Yours to fill: up to 50 values of any JSON type. */
    metadata?: Record<string, unknown> | undefined;
    /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
    tags?: Record<string, string> | string[] | undefined;
    /** A point is a minute ahead in line, so nothing starves. */
    priority?: number | undefined;
    /** Runs that share it share the job's `max_concurrency_per_key`, and take turns with other keys. */
    concurrency_key?: string | undefined;
    /** The same key within 24 hours answers the run that exists. Also as header `Idempotency-Key`. */
    idempotency_key?: string | undefined;
    /** ISO 8601, UTC, milliseconds. */
    scheduled_at?: string | undefined;
    delay_secs?: number | undefined;
    timeout_secs?: number | undefined;
    max_attempts?: number | undefined;
    /** Environment id or slug. */
    environment_id?: string | undefined;
    /** UUIDv7. */
    parent_run_id?: string | undefined;
    /** Runs that must be completed before this one starts. When one fails, this run is canceled. */
    depends_on_run_ids?: string[] | undefined;
  }>;
};

/** What became of each item, in the order they were sent. */
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
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The event was taken. Nothing of the trigger is told: the sender has no account. */
export type CallbackReceived = {
  received: boolean;
  /** ISO 8601, UTC, milliseconds. */
  received_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A version of a workflow that is tried on a share of its runs. */
export type Canary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version that the other runs take. */
  source_version: number;
  /** The version that is tried. */
  target_version: number;
  /** Percent of new runs that take the target. */
  traffic_pct: number;
  status: "active" | "promoted" | "rolled_back";
  auto_promote_config: {
    /** False: nothing happens by itself. */
    enabled: boolean;
    /** Shares of the traffic in percent, rising. After the last one the canary is promoted. */
    steps: number[];
    /** How long each share is kept at least. */
    interval_secs: number;
    /** Runs of the target that have ended: in all before it is judged, and at each share before the next. */
    min_runs: number;
    /** By how much the target's error rate may exceed the source's: 0.02 allows 7 % where it was 5 %. */
    max_failure_rate_increase: number;
    /** By which part the target's p95 may exceed the source's: 0.2 allows a fifth. Null: any. */
    max_p95_increase: number | null;
  } | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  completed_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A canary with what the runs of both versions came to. */
export type CanaryComparison = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version that the other runs take. */
  source_version: number;
  /** The version that is tried. */
  target_version: number;
  /** Percent of new runs that take the target. */
  traffic_pct: number;
  status: "active" | "promoted" | "rolled_back";
  auto_promote_config: {
    /** False: nothing happens by itself. */
    enabled: boolean;
    /** Shares of the traffic in percent, rising. After the last one the canary is promoted. */
    steps: number[];
    /** How long each share is kept at least. */
    interval_secs: number;
    /** Runs of the target that have ended: in all before it is judged, and at each share before the next. */
    min_runs: number;
    /** By how much the target's error rate may exceed the source's: 0.02 allows 7 % where it was 5 %. */
    max_failure_rate_increase: number;
    /** By which part the target's p95 may exceed the source's: 0.2 allows a fifth. Null: any. */
    max_p95_increase: number | null;
  } | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  completed_at: string | null;
  metrics: {
    source: {
      version: number;
      /** UUIDv7. */
      version_id: string;
      /** Sent to this version by the canary since it began. */
      runs: number;
      /** Of these, those that have not ended. */
      active_runs: number;
      /** Completed among those that completed, failed or timed out. Null: none has. */
      success_rate: number | null;
      /** Failed or timed out among the same. */
      error_rate: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p50_ms: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p95_ms: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p99_ms: number | null;
    };
    target: {
      version: number;
      /** UUIDv7. */
      version_id: string;
      /** Sent to this version by the canary since it began. */
      runs: number;
      /** Of these, those that have not ended. */
      active_runs: number;
      /** Completed among those that completed, failed or timed out. Null: none has. */
      success_rate: number | null;
      /** Failed or timed out among the same. */
      error_rate: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p50_ms: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p95_ms: number | null;
      /** Of completed runs, from start to end. Null: none has completed. */
      p99_ms: number | null;
    };
    /** That the target fails more often than the source. Null: one of them has no runs. */
    probability_target_worse: number | null;
  };
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of CanaryComparison to a caller who may not read it. */
export type CanaryComparisonReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "promoted" | "rolled_back";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Canary to a caller who may not read it. */
export type CanaryReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "promoted" | "rolled_back";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Why the run is canceled. */
export type CancelRun = {
  /** Told in the `error` of the run. */
  reason?: string | undefined;
};

/** Why the workflow run is canceled. */
export type CancelWorkflowRun = {
  /** Told in the `error` of what it ends. */
  reason?: string | undefined;
};

/** A page of Capsule objects. */
export type CapsuleList = {
  data: CapsuleSummary[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An imported run. It never changes. */
export type CapsuleSummary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Of the key that imported it; null: it was bound to none. */
  environment_id: string | null;
  /** Of the run, where it was exported. */
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
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of CapsuleSummary to a caller who may not read it. */
export type CapsuleSummaryReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A policy as it is now, or with `dry_run` as it would be. */
export type ChangedWorkflowPolicy = {
  /** UUIDv7. */
  project_id: string;
  /** Steps that may depend directly on one step. Null: no bound. */
  max_fan_out: number | null;
  /** Steps that may stand in a row. Null: no bound. */
  max_depth: number | null;
  /** Steps of a workflow. Null: no bound beyond the service's own. */
  max_steps: number | null;
  forbidden_step_types: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow">;
  /** A changed version becomes current only when another than its author activates it. */
  require_approval_for_deploy: boolean;
  /** Null: nobody has set a policy. */
  updated_by: string | null;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string | null;
  /** Only with `dry_run`: the workflows whose current version the policy would not let be saved. */
  preview?: {
    /** Workflows that were judged. */
    checked_count: number;
    violating_count: number;
    /** At most 100 of them, oldest first. */
    violating: Array<{
      /** UUIDv7. */
      workflow_id: string;
      slug: string;
      /** The current version, which is judged. */
      version_id: string;
      violations: Array<{
        /** For example `body.steps[2].event_key`. */
        location: string;
        message: string;
        /** What was sent there. */
        value: unknown;
      }>;
    }>;
  } | undefined;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of ChangedWorkflowPolicy to a caller who may not read it. */
export type ChangedWorkflowPolicyReceipt = {
  /** UUIDv7. */
  project_id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** May this subject do this, on that? */
export type CheckAccess = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** `api_key:<id>`, `member:<subject>` or `role:<id or name>`. Without it: the caller. */
  subject?: string | undefined;
  action: "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send";
  /** A `job` brings its runs and schedules, a `workflow` its workflow runs, an `environment` all that is in it. */
  resource_type?: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation" | undefined;
  resource_id?: string | undefined;
};

/** How much time runs have taken, how it ended, and what it cost. */
export type ComputeReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  /** How long the time of one point is. */
  bucket: "1m" | "5m" | "1h" | "1d";
  /** As it is now. */
  compute_rate_microusd_per_sec: number;
  /** From claim to the end of the dispatch, all dispatches together. */
  wall_ms: number;
  /** The part of all dispatches that lies within this time. */
  busy_ms: number;
  dispatches: number;
  /** Wall time of dispatches × the project's rate. */
  compute_microusd: number;
  /** `busy_ms` divided by the time that has passed. */
  average_in_flight: number;
  /** The highest `average_in_flight` of a bucket. */
  peak_in_flight: number;
  /** Part of `wall_ms` in dispatches that completed or went to wait. Null: there were none. */
  useful_share: number | null;
  outcomes: Array<{
    outcome: "completed" | "waiting" | "failed" | "timed_out" | "silent" | "canceled" | "paused" | "retried" | "retried_after_timeout" | "retried_after_silence" | "retried_after_crash" | "drained";
    wall_ms: number;
    dispatches: number;
    /** Millionths of a US dollar. */
    compute_microusd: number;
    /** What these dispatches had reported. */
    reported_microusd: number;
  }>;
  jobs: Array<{
    /** UUIDv7. */
    job_id: string;
    slug: string | null;
    /** From claim to the end of the dispatch, all dispatches together. */
    wall_ms: number;
    /** The part of all dispatches that lies within this time. */
    busy_ms: number;
    dispatches: number;
    /** Wall time of dispatches × the project's rate. */
    compute_microusd: number;
    /** `busy_ms` divided by the time that has passed. */
    average_in_flight: number;
    /** Of one dispatch. */
    longest_ms: number;
    max_concurrency: number | null;
    /** `average_in_flight` divided by `max_concurrency`. Null: without a limit. */
    utilisation: number | null;
  }>;
  buckets: Array<{
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** From claim to the end of the dispatch, all dispatches together. */
    wall_ms: number;
    /** The part of all dispatches that lies within this time. */
    busy_ms: number;
    dispatches: number;
    /** Wall time of dispatches × the project's rate. */
    compute_microusd: number;
    /** `busy_ms` divided by the time that has passed. */
    average_in_flight: number;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What could be saved, from the project's own runs. */
export type CostInsights = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  /** What the project has cost in this time. */
  total_microusd: number;
  /** Of all insights together. */
  estimated_saving_microusd: number;
  /** The largest saving first. */
  insights: Array<{
    rule: "retry_waste" | "always_times_out" | "overlong_timeout" | "idle_schedule" | "duplicate_payloads";
    /** UUIDv7. */
    job_id: string;
    job_slug: string | null;
    /** UUIDv7. */
    schedule_id: string | null;
    title: string;
    what_to_change: string;
    /** In the time that was looked at. */
    estimated_saving_microusd: number;
    /** The numbers that the rule has found. `docs/costs.md` says what each is. */
    evidence: Record<string, number | string | null>;
    /** Up to five runs to look at, the newest first. */
    sample_run_ids: string[];
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a project has cost, and for what. */
export type CostReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  /** How long the time of one point is. */
  bucket: "1m" | "5m" | "1h" | "1d";
  /** The calendar month (UTC) that `from` lies in. */
  period: {
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** ISO 8601, UTC, milliseconds. */
    ends_at: string;
    is_current: boolean;
  };
  /** As it is now. */
  compute_rate_microusd_per_sec: number;
  total: {
    /** Reported and compute together, in millionths of a US dollar. */
    total_microusd: number;
    /** What runs have reported to have used. */
    reported_microusd: number;
    /** Wall time of dispatches × the project's rate. */
    compute_microusd: number;
    /** From claim to the end of the dispatch, all dispatches together. */
    wall_ms: number;
    dispatches: number;
    /** Reports of usage. */
    reports: number;
    input_tokens: number;
    output_tokens: number;
  };
  /** Only for the current billing period as a whole. */
  forecast: {
    /** What the period will have cost at its end. */
    total_microusd: number;
    /** The mean of the last full days, at most 7; or of what has passed. */
    basis: "full_days" | "elapsed_time";
    /** Full days that were looked at. */
    days: number;
    /** Millionths of a US dollar. */
    per_day_microusd: number;
  } | null;
  buckets: Array<{
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** Reported and compute together, in millionths of a US dollar. */
    total_microusd: number;
    /** What runs have reported to have used. */
    reported_microusd: number;
    /** Wall time of dispatches × the project's rate. */
    compute_microusd: number;
    /** From claim to the end of the dispatch, all dispatches together. */
    wall_ms: number;
    dispatches: number;
    /** Reports of usage. */
    reports: number;
    input_tokens: number;
    output_tokens: number;
  }>;
  /** By job. */
  jobs: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By environment. */
  environments: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the workflow whose step the run is. */
  workflows: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By tag; a run counts for each that it has. With `tag_key`: by the values of that one. */
  tags: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By concurrency key. */
  concurrency_keys: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the name of the API key, or of whatever started the run. */
  created_by: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** By the schedule that started the run. */
  schedules: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** Reported usage by provider (`name`) and model (`value`). `other` is the rest and all compute. */
  models: {
    /** The dearest first. */
    groups: Array<{
      /** Of the job, environment, workflow or schedule. Null for other groups. */
      id: string | null;
      /** Null: runs that have none; beside an `id`: it is gone. */
      name: string | null;
      /** Of a tag its value, of a provider its model. */
      value: string | null;
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    }>;
    /** All that is not named, so that the sum is the total. Null: groups overlap. */
    other: {
      /** Reported and compute together, in millionths of a US dollar. */
      total_microusd: number;
      /** What runs have reported to have used. */
      reported_microusd: number;
      /** Wall time of dispatches × the project's rate. */
      compute_microusd: number;
      /** From claim to the end of the dispatch, all dispatches together. */
      wall_ms: number;
      dispatches: number;
      /** Reports of usage. */
      reports: number;
      input_tokens: number;
      output_tokens: number;
    } | null;
  };
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An API key to create. */
export type CreateApiKey = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** The only one it sees: id or slug; the id is kept. Null: all. */
  environment_id?: string | null | undefined;
  expires_in_days?: number | null | undefined;
  /** The project's org: the key may then read every project of it. */
  org_id?: string | null | undefined;
  /** Rotation is due after this. */
  rotation_interval_days?: number | null | undefined;
  /** What the key may do; null or absent: all that its creator may. Policies do not narrow `audit:read`: it shows every change whole. */
  scopes?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | null | undefined;
};

/** A canary to begin. New runs take the source version from now on, but for the share that takes the target. */
export type CreateCanary = {
  /** The current version when absent. */
  source_version?: number | undefined;
  target_version: number;
  /** When absent, the first step, or 10. */
  traffic_pct?: number | undefined;
  /** Moves the share step by step, and judges the target meanwhile. */
  auto_promote_config?: {
    /** False: nothing happens by itself. */
    enabled?: boolean | undefined;
    /** Shares of the traffic in percent, rising. After the last one the canary is promoted. */
    steps?: number[] | undefined;
    /** How long each share is kept at least. */
    interval_secs?: number | undefined;
    /** Runs of the target that have ended: in all before it is judged, and at each share before the next. */
    min_runs?: number | undefined;
    /** By how much the target's error rate may exceed the source's: 0.02 allows 7 % where it was 5 %. */
    max_failure_rate_increase?: number | undefined;
    /** By which part the target's p95 may exceed the source's: 0.2 allows a fifth. Null: any. */
    max_p95_increase?: number | null | undefined;
  } | null | undefined;
};

/** An environment to create. Without `slug` one is made from the name. */
export type CreateEnvironment = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** Whose variables it inherits: id or slug; the id is kept. */
  parent_id?: string | null | undefined;
  /** Handed to every run of the environment. Encrypted at rest. */
  variables?: Record<string, string> | undefined;
};

/** An event source to create. Without `signature` it takes no webhooks; ids are remembered for a day. */
export type CreateEventSource = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  description?: string | null | undefined;
  /** How webhooks from outside are signed. `hmac` as this service signs its own (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`), `stripe` (`Stripe-Signature`); `none` takes no webhooks. */
  signature?: "none" | "hmac" | "github" | "stripe" | undefined;
  /** What the sender signs with. Left out, one is made; Stripe makes its own. */
  secret?: string | undefined;
  /** JSON Schema that every payload must fit. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** How long an event id is remembered: the same again starts nothing. 0: not at all. */
  dedup_window_secs?: number | undefined;
  /** False: it takes no events. */
  enabled?: boolean | undefined;
};

/** A subscription to create, of a job or of a workflow. Without `filter` it takes every event. */
export type CreateEventSubscription = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Id or slug of a job. */
  job_id?: string | undefined;
  /** Id or slug of a workflow. */
  workflow_id?: string | undefined;
  /** CEL over `payload` and `event` (`id`, `type`, `source`, `metadata`), such as `event.type == 'paid'`. */
  filter?: string | null | undefined;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload?: unknown;
  /** Template of the run's concurrency key. */
  concurrency_key?: string | null | undefined;
  /** Where its runs happen: id or slug; the id is kept. Null: as the job or workflow says, else production. */
  environment_id?: string | null | undefined;
  /** False: it starts nothing. */
  enabled?: boolean | undefined;
};

/** A job to create. Without `slug` one is made from the name. */
export type CreateJob = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** Where runs are dispatched to. */
  endpoint_url: string;
  /** Sent with every dispatch. Encrypted at rest. Default: `{}`. */
  headers?: Record<string, string> | undefined;
  /** For one attempt, from its dispatch. Default: `300`. */
  timeout_secs?: number | undefined;
  /** How long an accepted run may be silent. Default: `60`. */
  heartbeat_timeout_secs?: number | undefined;
  /** Default: `3`. */
  max_attempts?: number | undefined;
  /** 1 s doubled each time up to 1 h, 1 s more each time, 1 s, or your own. Default: `"exponential"`. */
  retry_strategy?: "exponential" | "linear" | "fixed" | "custom" | undefined;
  /** With `custom`, and only then: the wait before each retry; the last one repeats. Default: `null`. */
  retry_delays_secs?: number[] | null | undefined;
  /** Yours to fill: up to 50 values of any JSON type. Default: `{}`. */
  default_run_metadata?: Record<string, unknown> | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. Default: `null`. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. Default: `null`. */
  result_schema?: Record<string, unknown> | null | undefined;
  /** A run that has cost more is stopped. Default: `null`. */
  max_cost_microusd?: number | null | undefined;
  /** Job that is triggered when a run ends in failure: id or slug; the id is kept. Default: `null`. */
  on_failure_job_id?: string | null | undefined;
  /** Default: `null`. */
  description?: string | null | undefined;
  /** Where runs happen when nobody says: id or slug; the id is kept. Null: production. Default: `null`. */
  environment_id?: string | null | undefined;
  /** False: nothing may trigger it. Default: `true`. */
  enabled?: boolean | undefined;
  /** Runs of the job at the same time. Default: `null`. */
  max_concurrency?: number | null | undefined;
  /** Runs with the same `concurrency_key` at the same time. Default: `null`. */
  max_concurrency_per_key?: number | null | undefined;
  /** Starts in any `rate_limit_window_secs`. Both are given, or none. Default: `null`. */
  rate_limit_max?: number | null | undefined;
  /** Window of `rate_limit_max`. Default: `null`. */
  rate_limit_window_secs?: number | null | undefined;
  /** Further limits, each with its own name. Default: `[]`. */
  rate_limit_keys?: Array<{
    name: string;
    /** Runs whose rendered key is the same share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Starts in any window. */
    max: number;
    /** Length of the window. */
    window_secs: number;
  }> | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. Default: `null`. */
  cron?: string | null | undefined;
  /** A name of the IANA list, such as `Europe/Berlin`. Default: `"UTC"`. */
  timezone?: string | undefined;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. Default: `"allow"`. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** The same payload within it answers the run that exists, and starts none. Default: `null`. */
  dedup_window_secs?: number | null | undefined;
  /** A trigger while one of the same `concurrency_key` waits replaces its payload and waits anew. Default: `null`. */
  debounce_window_secs?: number | null | undefined;
  /** A run that has not started by then is canceled. Default: `null`. */
  run_ttl_secs?: number | null | undefined;
  /** A point is a minute ahead in line, so nothing starves. Default: `0`. */
  priority?: number | undefined;
  /** Held of the budget while a run has not ended. Default: `null`. */
  estimated_cost_microusd?: number | null | undefined;
  /** Default: `[]`. */
  cancel_on?: Array<{
    /** Rendered over the run's payload: an event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. Default: `{}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** A drain to create. It begins with what is logged from now on. Without `format` it is `json`, without `min_level` everything. */
export type CreateLogDrain = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Where the records are posted. */
  url: string;
  /** `json`: an array of records. `ndjson`: one record a line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format?: "json" | "ndjson" | "otlp" | "loki" | undefined;
  /** `bearer` takes `token`; `basic` takes `username` and `password`; `header` takes `name` and `value`. */
  auth?: {
    type: "none" | "bearer" | "basic" | "header";
    /** Kept encrypted, never shown again. */
    token?: string | undefined;
    username?: string | undefined;
    /** Kept encrypted, never shown again. */
    password?: string | undefined;
    name?: string | undefined;
    /** Kept encrypted, never shown again. */
    value?: string | undefined;
  } | undefined;
  /** Lines below this level are not sent. */
  min_level?: "debug" | "info" | "warn" | "error" | undefined;
  /** Ids or slugs: only lines of these jobs. Null: of all. */
  job_ids?: string[] | null | undefined;
  /** Only lines of runs there. Null: of all environments. By id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** Switched on again, it begins with what is logged then. */
  enabled?: boolean | undefined;
};

/** A project to create. Without `slug` one is made from the name. */
export type CreateProject = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** A label that groups projects. */
  org_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Most waiting event triggers of this project; null: the service's setting. */
  max_active_event_triggers?: number | null | undefined;
  /** Cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec?: number | undefined;
};

/** A policy to create. */
export type CreateResourcePolicy = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** `deny` wins over every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject: string;
  /** A `job` brings its runs and schedules, a `workflow` its workflow runs, an `environment` all that is in it. */
  resource_type: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation";
  /** An id, or `*` for all of the type. Of a job, workflow or environment the slug is taken, too; the id is kept. */
  resource_id: string;
  description?: string | null | undefined;
};

/** A role to create. It grants what its parent grants, and its own permissions. */
export type CreateRole = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Scopes; `*` is all of them. */
  permissions?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  description?: string | null | undefined;
  /** Id or name of a role. */
  parent_role_id?: string | null | undefined;
};

/** A view to save. Without `query` it is the whole list. */
export type CreateSavedView = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** What is listed. */
  resource: "runs" | "workflow_runs" | "jobs" | "workflows" | "events" | "webhook_deliveries" | "logs" | "audit_events" | "analytics";
  /** Query parameters of the list, as text: `{"status": "failed", "q": "tag:eu"}`. Kept as they are. */
  query?: Record<string, string> | undefined;
};

/** A schedule to create, of a job or of a workflow. Without `timezone` it is read in UTC. */
export type CreateSchedule = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | null | undefined;
  /** Id or slug of a job. */
  job_id?: string | undefined;
  /** Id or slug of a workflow. */
  workflow_id?: string | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron: string;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** Given to every run of the schedule. */
  payload?: unknown;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Where its runs happen: id or slug; the id is kept. Null: as the job or workflow says, else production. */
  environment_id?: string | null | undefined;
  /** True: it fires nothing until it is resumed. */
  paused?: boolean | undefined;
};

/** Exactly one credential to exchange for a session cookie. */
export type CreateSession = {
  api_key?: string | undefined;
  internal_secret?: string | undefined;
  /** From a one-time sign-in link. */
  code?: string | undefined;
};

/** A policy to create. */
export type CreateTagPolicy = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** `deny` wins over every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject: string;
  tag_key: string;
  /** Null: whatever the value. */
  tag_value?: string | null | undefined;
  description?: string | null | undefined;
};

/** A token to give to a browser: for these runs and workflow runs (with the runs of their steps), or for all that carry these tags. */
export type CreateToken = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Of those that you hold yourself. */
  scopes: Array<"runs:read" | "workflows:read" | "events:read" | "jobs:trigger" | "events:send">;
  run_ids?: string[] | undefined;
  workflow_run_ids?: string[] | undefined;
  tags?: Record<string, string> | undefined;
  /** Default: `3600`. */
  ttl_secs?: number | undefined;
};

/** A subscription to create. It is told of what happens from then on. */
export type CreateWebhookSubscription = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Where the events are posted. */
  url: string;
  /** Which events: by name, all of a kind as `run.*`, or `*`. */
  events: Array<"run.*" | "run.created" | "run.started" | "run.waiting" | "run.paused" | "run.resumed" | "run.retrying" | "run.completed" | "run.failed" | "run.timed_out" | "run.canceled" | "run.dead_lettered" | "workflow_run.*" | "workflow_run.started" | "workflow_run.paused" | "workflow_run.resumed" | "workflow_run.retried" | "workflow_run.completed" | "workflow_run.failed" | "workflow_run.timed_out" | "workflow_run.canceled" | "event_trigger.*" | "event_trigger.created" | "event_trigger.received" | "event_trigger.timed_out" | "event_trigger.canceled" | "budget.*" | "budget.warning" | "budget.exceeded" | "budget.blocked" | "api_key.*" | "api_key.rotation_due" | "*">;
  description?: string | null | undefined;
  /** A CEL expression over `event`, as `event.data.tags.team == "billing"`. Told are the events for which it is true. */
  filter?: string | null | undefined;
  /** Sent with every delivery. Encrypted at rest and shown as `[redacted]`, which stands for the value there is. */
  headers?: Record<string, string> | undefined;
  /** Only what happens there. Null: in every environment, and in none. By id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** False: nothing new is told; what was told before is still delivered. */
  enabled?: boolean | undefined;
};

/** A workflow to create. Without `slug` one is made from the name. */
export type CreateWorkflow = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  steps: StepInput[];
  description?: string | null | undefined;
  /** Where runs happen when nobody says: id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** False: nothing may trigger it. */
  enabled?: boolean | undefined;
  /** For the whole run; paused time is outside of it. */
  timeout_secs?: number | null | undefined;
  /** Steps that run at the same time; those that wait are not counted. */
  max_parallel_steps?: number | null | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. A payload that does not fit is refused. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** Runs of the workflow at the same time; others wait. */
  max_concurrent_runs?: number | null | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron?: string | null | undefined;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Job that is triggered when a run fails or times out: id or slug; the id is kept. */
  on_failure_job_id?: string | null | undefined;
  cancel_on?: Array<{
    /** 1 to 512 characters, rendered over the run's payload: an event with this key cancels the run. */
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
  /** The project's org: the key may then read every project of it. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null: all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this. */
  rotation_interval_days: number | null;
  /** ISO 8601, UTC, milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601, UTC, milliseconds. */
  previous_key_expires_at: string | null;
  /** Also by a session or a token that the key has made; up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key itself. Returned this once; only its hash is kept. */
  key: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of CreatedApiKey to a caller who may not read it. */
export type CreatedApiKeyReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "expired" | "revoked";
  /** The key itself. Returned this once; only its hash is kept. */
  key: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A new event source, with its secret. */
export type CreatedEventSource = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  description: string | null;
  /** How webhooks from outside are signed. `hmac` as this service signs its own (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`), `stripe` (`Stripe-Signature`); `none` takes no webhooks. */
  signature: "none" | "hmac" | "github" | "stripe";
  /** JSON Schema that every payload must fit. */
  payload_schema: Record<string, unknown> | null;
  /** How long an event id is remembered: the same again starts nothing. 0: not at all. */
  dedup_window_secs: number;
  /** False: it takes no events. */
  enabled: boolean;
  /** Where signed webhooks are sent. Null: it takes none. */
  inbound_url: string | null;
  /** Until then signatures of the secret before are good, too. */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Shown here and never again. Null without a signature. */
  secret: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of CreatedEventSource to a caller who may not read it. */
export type CreatedEventSourceReceipt = {
  /** UUIDv7. */
  id: string;
  /** Shown here and never again. Null without a signature. */
  secret: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A new project with its signing secret. */
export type CreatedProject = {
  /** UUIDv7. */
  id: string;
  /** A label that groups projects. */
  org_id: string | null;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  description: string | null;
  /** Most waiting event triggers of this project; null: the service's setting. */
  max_active_event_triggers: number | null;
  /** Cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec: number;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Signs outgoing requests (`whsec_…`). Shown this once. */
  webhook_secret: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What is said with the decision. */
export type DecideApproval = {
  /** Kept with the decision, for those who read it. */
  comment?: string | undefined;
};

/** An event for the subscriptions of a source. */
export type DispatchEvent = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** Id or slug of the event source. */
  source: string;
  /** As its sender calls it. The same again within the source's `dedup_window_secs` starts nothing. */
  id?: string | undefined;
  type?: string | undefined;
  /** Any JSON; an empty object when absent. */
  payload?: unknown;
  /** What is known of it beside its payload. */
  metadata?: Record<string, unknown> | undefined;
  /** The run that dispatches it. With it a circle of events and runs is found and stopped. */
  parent_run_id?: string | undefined;
};

/** `bearer` takes `token`; `basic` takes `username` and `password`; `header` takes `name` and `value`. */
export type DrainAuth = {
  type: "none" | "bearer" | "basic" | "header";
  /** Kept encrypted, never shown again. */
  token?: string | undefined;
  username?: string | undefined;
  /** Kept encrypted, never shown again. */
  password?: string | undefined;
  name?: string | undefined;
  /** Kept encrypted, never shown again. */
  value?: string | undefined;
};

/** How long runs took, from their first start to their end. */
export type DurationDistribution = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** Runs that had begun and ended in this time. */
  count: number;
  /** Exact. */
  mean_ms: number | null;
  percentiles: Array<{
    /** 0 is the shortest, 100 the longest. */
    percentile: number;
    /** Within 1 % of the exact one. */
    duration_ms: number;
  }>;
  /** The runs in order of their duration, cut at percentiles. */
  percentile_buckets: Array<{
    from_percentile: number;
    to_percentile: number;
    from_ms: number;
    to_ms: number;
    /** Runs between these percentiles. */
    count: number;
  }>;
  /** By duration, in steps of 1, 2, 5, 10, …, from the first with runs to the last. */
  histogram: Array<{
    /** Longer than this. */
    from_ms: number;
    /** And at most this, give or take 1 %. */
    to_ms: number;
    /** Runs. */
    count: number;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Done; there is nothing to say. */
export type Empty = Record<string, unknown>;

/** Where runs happen, and with which variables. */
export type Environment = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  /** production, staging, development: born with the project, not deletable. */
  is_standard: boolean;
  /** UUIDv7. */
  parent_id: string | null;
  variables: Record<string, string>;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Environment objects. */
export type EnvironmentList = {
  data: Environment[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Environment to a caller who may not read it. */
export type EnvironmentReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Failures of runs by what they have in common. */
export type ErrorGroups = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  total: {
    /** Runs that failed for good. */
    runs: number;
    /** Tries that failed. */
    attempts: number;
  };
  /** The most frequent first. */
  data: Array<{
    /** UUIDv7. */
    fingerprint: string;
    /** Without numbers, names and ids, so that failures of one kind are one. */
    message: string;
    code: string | null;
    http_status: number | null;
    /** UUIDv7. */
    job_id: string;
    job_slug: string | null;
    /** The step of a workflow that the runs belong to. */
    step_ref: string | null;
    /** UUIDv7. */
    environment_id: string;
    /** Runs that failed for good in this time. */
    runs: number;
    /** Tries that failed in this time, those among them that were tried again. */
    attempts: number;
    /** ISO 8601, UTC, milliseconds. */
    first_seen_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    last_seen_at: string | null;
    versions: Array<{
      /** UUIDv7. */
      job_version_id: string;
      version: number | null;
      /** Of this version. */
      attempts: number;
    }>;
    /** The newest few that the caller may see. */
    sample_run_ids: string[];
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Who received the event. */
export type EventPrefixSent = {
  dry_run: boolean;
  /** How many triggers received the event; on a dry run, would receive it. */
  resolved: number;
  /** How many runs are canceled by it through their `cancel_on`, as far as was counted: the first thousand keys. On a repetition 0. */
  canceled_runs: number;
  /** The first 100 of them, by key. */
  triggers: EventTrigger[];
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of EventPrefixSent to a caller who may not read it. */
export type EventPrefixSentReceipt = {
  dry_run: boolean;
  /** How many triggers received the event; on a dry run, would receive it. */
  resolved: number;
  /** How many runs are canceled by it through their `cancel_on`, as far as was counted: the first thousand keys. On a repetition 0. */
  canceled_runs: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Where events come from: dispatched with a key, or sent by others as signed webhooks. */
export type EventSource = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  description: string | null;
  /** How webhooks from outside are signed. `hmac` as this service signs its own (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`), `stripe` (`Stripe-Signature`); `none` takes no webhooks. */
  signature: "none" | "hmac" | "github" | "stripe";
  /** JSON Schema that every payload must fit. */
  payload_schema: Record<string, unknown> | null;
  /** How long an event id is remembered: the same again starts nothing. 0: not at all. */
  dedup_window_secs: number;
  /** False: it takes no events. */
  enabled: boolean;
  /** Where signed webhooks are sent. Null: it takes none. */
  inbound_url: string | null;
  /** Until then signatures of the secret before are good, too. */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventSource objects. */
export type EventSourceList = {
  data: EventSource[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of EventSource to a caller who may not read it. */
export type EventSourceReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The new secret. */
export type EventSourceSecret = {
  /** Shown here and never again. */
  secret: string;
  /** ISO 8601, UTC, milliseconds. */
  previous_secret_expires_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How many triggers the project has in each state. */
export type EventStats = {
  waiting: number;
  received: number;
  timed_out: number;
  canceled: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts a job or a workflow for the events of a source that pass its filter. */
export type EventSubscription = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** What it starts: a job, or a workflow. */
  job_id: string | null;
  /** UUIDv7. */
  workflow_id: string | null;
  /** CEL over `payload` and `event` (`id`, `type`, `source`, `metadata`), such as `event.type == 'paid'`. */
  filter: string | null;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload: unknown;
  /** Template of the run's concurrency key. */
  concurrency_key: string | null;
  /** UUIDv7. */
  environment_id: string | null;
  enabled: boolean;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventSubscription objects. */
export type EventSubscriptionList = {
  data: EventSubscription[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of EventSubscription to a caller who may not read it. */
export type EventSubscriptionReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What each subscription would make of an event. */
export type EventTested = {
  /** Where the payload does not fit the source's schema. Such an event is rejected. */
  errors: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** What was sent there. */
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
    /** Why it matches or not. */
    reason: string;
    /** True: an event like this would start a run now. */
    would_start: boolean;
    /** What the run would be given. Null when there would be none. */
    payload: unknown;
    error: {
      /** For programs. */
      code: string;
      /** For people. */
      message: string;
    } | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A wait of a run or of a workflow step, until an event, a time, the end of a child run or an approval. */
export type EventTrigger = {
  /** UUIDv7. */
  id: string;
  /** Unique among the waiting triggers of the project. */
  event_key: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string;
  /** What waits: a step of a workflow, or a run of a job. */
  source_type: "workflow_step" | "job_run";
  /** `event` waits for an event, `sleep` for a time. */
  trigger_type: "event" | "sleep";
  /** Only `event` has a key that can be sent to; the others carry one made of their id. */
  wait_kind: "event" | "sleep" | "child" | "approval";
  /** UUIDv7. */
  workflow_run_id: string | null;
  /** UUIDv7. */
  workflow_step_run_id: string | null;
  /** UUIDv7. */
  job_run_id: string | null;
  status: "waiting" | "received" | "timed_out" | "canceled";
  timeout_secs: number | null;
  /** What the event brought. */
  payload: unknown;
  /** The same as `payload`. */
  request_payload: unknown;
  error: {
    /** Why the wait failed, for programs. */
    code: string;
    /** Why the wait failed, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  /** What an approval asks, as in its step run. Null for other waits. */
  message: string | null;
  /** Gets a signed webhook when the event arrives. */
  notify_url: string | null;
  /** Who sent the event. */
  sent_by: string | null;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  sent_by_id: string | null;
  /** Whoever knows it can send this one event, once, without a key. Shown while the trigger waits, to callers that may send events. */
  callback_url: string | null;
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** ISO 8601, UTC, milliseconds. */
  requested_at: string;
  /** ISO 8601, UTC, milliseconds. */
  received_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of EventTrigger objects. */
export type EventTriggerList = {
  data: EventTrigger[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of EventTrigger to a caller who may not read it. */
export type EventTriggerReceipt = {
  /** UUIDv7. */
  id: string;
  status: "waiting" | "received" | "timed_out" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Events over time. */
export type EventVolume = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  total: {
    /** Waits for an event or an approval that began. */
    created: number;
    /** Waits that ended by their event. */
    received: number;
    /** Waits that ended without it. */
    timed_out: number;
    /** Waits that were canceled. */
    canceled: number;
    /** Events that came to a source. They belong to no environment. */
    dispatched: number;
    /** Events that a source refused. */
    rejected: number;
  };
  /** Every bucket of the time, oldest first. */
  buckets: Array<{
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** Waits for an event or an approval that began. */
    created: number;
    /** Waits that ended by their event. */
    received: number;
    /** Waits that ended without it. */
    timed_out: number;
    /** Waits that were canceled. */
    canceled: number;
    /** Events that came to a source. They belong to no environment. */
    dispatched: number;
    /** Events that a source refused. */
    rejected: number;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What was deleted, or would be. */
export type EventsPurged = {
  dry_run: boolean;
  /** Ended triggers that are old enough. */
  matched: number;
  deleted: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The process is alive. */
export type Health = {
  status: "ok";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The webhook was taken. Nothing of what it started is told: its sender has no account. */
export type InboundReceived = {
  received: boolean;
  /** UUIDv7. */
  id: string;
  /** True: it was taken before. */
  duplicate: boolean;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Something to be run: where, how often at once, and what happens when it fails. */
export type Job = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  /** Where runs are dispatched to. */
  endpoint_url: string;
  headers: Record<string, string>;
  /** For one attempt, from its dispatch. */
  timeout_secs: number;
  /** How long an accepted run may be silent. */
  heartbeat_timeout_secs: number;
  max_attempts: number;
  /** 1 s doubled each time up to 1 h, 1 s more each time, 1 s, or your own. */
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  /** With `custom`, and only then: the wait before each retry; the last one repeats. */
  retry_delays_secs: number[] | null;
  /** Given to every run; the run's own metadata wins name by name. */
  default_run_metadata: Record<string, unknown>;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  payload_schema: Record<string, unknown> | null;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  result_schema: Record<string, unknown> | null;
  /** A run that has cost more is stopped. */
  max_cost_microusd: number | null;
  /** Job that is triggered when a run ends in failure. */
  on_failure_job_id: string | null;
  description: string | null;
  /** Where runs happen when nobody says. Null: production. */
  environment_id: string | null;
  /** False: nothing may trigger it. */
  enabled: boolean;
  /** Runs of the job at the same time. */
  max_concurrency: number | null;
  /** Runs with the same `concurrency_key` at the same time. */
  max_concurrency_per_key: number | null;
  /** Starts in any `rate_limit_window_secs`. Both are given, or none. */
  rate_limit_max: number | null;
  /** Window of `rate_limit_max`. */
  rate_limit_window_secs: number | null;
  /** Further limits, each with its own name. */
  rate_limit_keys: Array<{
    name: string;
    /** Runs whose rendered key is the same share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Starts in any window. */
    max: number;
    /** Length of the window. */
    window_secs: number;
  }>;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron: string | null;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone: string;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  cron_overlap_policy: "allow" | "skip" | "cancel_running";
  /** The same payload within it answers the run that exists, and starts none. */
  dedup_window_secs: number | null;
  /** A trigger while one of the same `concurrency_key` waits replaces its payload and waits anew. */
  debounce_window_secs: number | null;
  /** A run that has not started by then is canceled. */
  run_ttl_secs: number | null;
  /** A point is a minute ahead in line, so nothing starves. */
  priority: number;
  /** Held of the budget while a run has not ended. */
  estimated_cost_microusd: number | null;
  cancel_on: Array<{
    /** Rendered over the run's payload: an event with this key cancels the run. */
    event_key: string;
  }>;
  tags: Record<string, string>;
  /** Number of the version that new runs take. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** Paused: triggers are accepted, and wait. */
  paused_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
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
    /** `completed`: the other run must complete. `ended`: it must end, however that may be. */
    condition: "completed" | "ended";
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of JobDependencies to a caller who may not read it. */
export type JobDependenciesReceipt = {
  /** UUIDv7. */
  job_id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Job objects. */
export type JobList = {
  data: Job[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Job to a caller who may not read it. */
export type JobReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** When a job's own `cron` fires next. */
export type JobSchedule = {
  /** UUIDv7. */
  job_id: string;
  cron: string;
  timezone: string;
  /** True: nothing is fired at these times until it is resumed. */
  paused: boolean;
  /** The next ten. */
  next_fire_times: string[];
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How runs of a job behave, as of one version. It never changes. */
export type JobVersion = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  job_id: string;
  version: number;
  /** Where runs are dispatched to. */
  endpoint_url: string;
  headers: Record<string, string>;
  /** For one attempt, from its dispatch. */
  timeout_secs: number;
  /** How long an accepted run may be silent. */
  heartbeat_timeout_secs: number;
  max_attempts: number;
  /** 1 s doubled each time up to 1 h, 1 s more each time, 1 s, or your own. */
  retry_strategy: "exponential" | "linear" | "fixed" | "custom";
  /** With `custom`, and only then: the wait before each retry; the last one repeats. */
  retry_delays_secs: number[] | null;
  /** Given to every run; the run's own metadata wins name by name. */
  default_run_metadata: Record<string, unknown>;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  payload_schema: Record<string, unknown> | null;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  result_schema: Record<string, unknown> | null;
  /** A run that has cost more is stopped. */
  max_cost_microusd: number | null;
  /** Job that is triggered when a run ends in failure. */
  on_failure_job_id: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of JobVersion objects. */
export type JobVersionList = {
  data: JobVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Runs by the version of their job. */
export type JobsByVersion = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** The newest version of a job first; jobs with most runs first. */
  data: Array<{
    /** UUIDv7. */
    job_id: string;
    /** Null: the job is gone. */
    job_slug: string | null;
    /** UUIDv7. */
    job_version_id: string;
    version: number | null;
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Sends the log lines of a project's runs to an address outside. */
export type LogDrain = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Only lines of runs there. Null: of all environments. */
  environment_id: string | null;
  name: string;
  url: string;
  /** `json`: an array of records. `ndjson`: one record a line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format: "json" | "ndjson" | "otlp" | "loki";
  auth_type: "none" | "bearer" | "basic" | "header";
  /** The user of `basic`, the name of `header`. */
  auth_name: string | null;
  /** Lines below this level are not sent. */
  min_level: "debug" | "info" | "warn" | "error";
  job_ids: string[] | null;
  enabled: boolean;
  /** `failing`: the last attempt was not taken. `idle`: nothing is left to send. */
  state: "idle" | "delivering" | "failing" | "disabled";
  /** Of the lines that wait, when the first was stored. */
  oldest_unsent_at: string | null;
  consecutive_failures: number;
  /** While it is failing: when it is tried again. */
  next_attempt_at: string | null;
  last_status_code: number | null;
  last_error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  last_delivered_at: string | null;
  /** Records that the receiver has taken. */
  delivered_count: number;
  /** Records given up because the receiver was away for too long. */
  dropped_count: number;
  /** Single records that the receiver would not take. */
  refused_count: number;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of LogDrain objects. */
export type LogDrainList = {
  data: LogDrain[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of LogDrain to a caller who may not read it. */
export type LogDrainReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What became of a record that was sent to try a drain. */
export type LogDrainTest = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** The body as it was sent. */
  sent: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An item of a map step. */
export type MapItem = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** `ref[index]`, as its run has it. */
  step_ref: string;
  item_index: number;
  /** Of the step, when the item was last to be started. */
  generation: number;
  status: "pending" | "running" | "completed" | "failed" | "canceled";
  item: unknown;
  output: unknown;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  /** UUIDv7. */
  run_id: string | null;
  /** UUIDv7. */
  child_workflow_run_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of MapItem objects. */
export type MapItemList = {
  data: MapItem[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Who is asking, and what they may do. */
export type Me = {
  /** What the caller showed. */
  kind: "internal_secret" | "api_key" | "member";
  /** UUIDv7. */
  project_id: string | null;
  /** UUIDv7. */
  environment_id: string | null;
  org_id: string | null;
  /** UUIDv7. */
  key_id: string | null;
  /** Of a member: `sub` of the OIDC token. */
  subject: string | null;
  name: string | null;
  /** As granted; null: all. */
  scopes: string[] | null;
  /** Every single scope the caller holds. */
  permissions: string[];
  /** ISO 8601, UTC, milliseconds. */
  session_expires_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A person in a project, with the role that says what they may do. */
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
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Member objects. */
export type MemberList = {
  data: Member[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Member to a caller who may not read it. */
export type MemberReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What became of each, in the order they were sent. */
export type MemberResults = {
  results: Array<{
    index: number;
    subject: string;
    /** UUIDv7. */
    member_id: string | null;
    status: "created" | "updated" | "unchanged" | "failed";
    error: string | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Which runs in flight go to which version of their workflow. */
export type MigrateRuns = {
  /** Number or id of the version that the runs go on under. */
  to_version: number | string;
  /** Only runs of this version, by number or id; of every other when absent. */
  from_version?: number | string | undefined;
  /** Only these runs. */
  workflow_run_ids?: string[] | undefined;
  /** Only tells what would become of the runs. Default true. */
  dry_run?: boolean | undefined;
  /** Most runs in this call. Default 10,000. */
  limit?: number | undefined;
  /** Only runs behind this one: `next_after` of the call before. */
  after?: string | undefined;
};

/** Slowest jobs, throughput and health. */
export type PerformanceReport = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  health: {
    /** By the success rate: `failing` below 0.8, `degraded` below 0.95; `idle` when nothing ended. */
    status: "healthy" | "degraded" | "failing" | "idle";
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    /** Runs that have not ended, now. */
    open_runs: number;
    /** Those that failed most often, of those that failed at all. */
    worst_jobs: Array<{
      /** UUIDv7. */
      job_id: string;
      /** Null: the job is gone. */
      job_slug: string | null;
      /** Runs that were created in this time. */
      created: number;
      /** That ended so in this time. */
      completed: number;
      /** That ended so in this time. */
      failed: number;
      /** That ended so in this time. */
      timed_out: number;
      /** That ended so in this time. */
      canceled: number;
      /** Tries that failed and were followed by another. */
      retried: number;
      /** completed / (completed + failed + timed_out); null when none of them ended. */
      success_rate: number | null;
      mean_ms: number | null;
      /** Half took no longer. Null: none was measured. */
      p50_ms: number | null;
      /** 95 of 100 took no longer. */
      p95_ms: number | null;
      /** 99 of 100 took no longer. */
      p99_ms: number | null;
    }>;
  };
  throughput: {
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    created_per_minute: number;
    ended_per_minute: number;
    busiest: {
      /** ISO 8601, UTC, milliseconds. */
      starts_at: string;
      /** In the busiest bucket. */
      ended: number;
    } | null;
  };
  duration: {
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  };
  /** From when a run was due until it began. */
  start_delay: {
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  };
  /** By p95. */
  slowest_jobs: Array<{
    /** UUIDv7. */
    job_id: string;
    /** Null: the job is gone. */
    job_slug: string | null;
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
    /** Runs that ended in each bucket of the time, oldest first: for a small picture. */
    ended_by_bucket: number[];
    /** Of those, how many failed or timed out. */
    failed_by_bucket: number[];
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What to plan: nothing said, the current version as it is. */
export type PlanWorkflow = {
  /** Of a version of the workflow. Absent: the current one. */
  version_id?: string | undefined;
  /** In place of all steps of the version, as a PATCH would take them. */
  steps?: StepInput[] | undefined;
  /** Fields that are laid over those of the step with the same `step_ref`. */
  step_overrides?: StepInput[] | undefined;
};

/** What went wrong. */
export type Problem = {
  /** Always `about:blank`. */
  type: string;
  title: string;
  status: number;
  /** What is wrong and what to do. */
  detail: string;
  /** The path that was asked. */
  instance: string;
  errors: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** What was sent there. */
    value: unknown;
  }>;
  /** Equal to `detail`. */
  error: string;
  code: "bad_request" | "invalid_text" | "duplicate_key" | "invalid_cursor" | "not_found" | "method_not_allowed" | "idempotency_conflict" | "conflict" | "payload_too_large" | "uri_too_long" | "unsupported_media_type" | "validation_failed" | "project_required" | "number_out_of_range" | "payload_too_complex" | "read_only_field" | "headers_too_large" | "unauthorized" | "key_expired" | "key_revoked" | "signature_invalid" | "session_expired" | "run_token_expired" | "forbidden" | "scope_missing" | "policy_denied" | "grant_too_wide" | "project_mismatch" | "cross_site_request" | "api_key_revoked" | "budget_exceeded" | "stale_attempt" | "run_not_ended" | "run_already_started" | "already_replayed" | "data_deleted" | "not_dead_lettered" | "belongs_to_workflow" | "batch_operation_ended" | "run_already_ended" | "payload_invalid" | "dependency_cycle" | "spawn_depth_exceeded" | "run_tree_too_large" | "same_author" | "not_an_approver" | "workflow_disabled" | "workflow_run_ended" | "workflow_run_compensating" | "nothing_to_retry" | "step_not_started" | "step_not_ended" | "step_ended" | "step_not_waiting" | "canary_active" | "canary_ended" | "policy_violated" | "invalid_event_key" | "event_key_in_use" | "event_already_received" | "event_trigger_ended" | "delivery_not_failed" | "event_chain_too_long" | "event_source_disabled" | "subscription_limit" | "event_trigger_quota" | "event_buffer_full" | "job_disabled" | "job_deleted" | "slug_taken" | "environment_in_use" | "job_in_use" | "workflow_in_use" | "environment_is_standard" | "schedule_is_default" | "environment_cycle" | "rate_limited" | "internal_error" | "service_unavailable";
  request_id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A tenant: everything else lives in a project. */
export type Project = {
  /** UUIDv7. */
  id: string;
  /** A label that groups projects. */
  org_id: string | null;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  description: string | null;
  /** Most waiting event triggers of this project; null: the service's setting. */
  max_active_event_triggers: number | null;
  /** Cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec: number;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The budget of a project and how it stands. */
export type ProjectBudget = {
  /** UUIDv7. */
  project_id: string;
  /** In micro-USD, for a calendar month (UTC). Null: no budget. */
  monthly_budget_microusd: number | null;
  /** `notify` only tells. `block` refuses new triggers with 402 `budget_exceeded`, and holds steps, schedules and retries back. */
  action: "notify" | "block";
  thresholds: number[];
  /** ISO 8601, UTC, milliseconds. */
  period_starts_at: string;
  /** ISO 8601, UTC, milliseconds. */
  period_ends_at: string;
  /** What was booked in this period: the time and the reports of dispatches that have ended. */
  settled_microusd: number;
  /** Held for runs that have not ended; only a budget that blocks holds any. */
  reserved_microusd: number;
  /** Of the budget, without what is reserved. Below 0: it was passed. */
  remaining_microusd: number | null;
  /** Those that were told of in this period. */
  raised_thresholds: number[];
  /** ISO 8601, UTC, milliseconds. */
  blocked_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of ProjectBudget to a caller who may not read it. */
export type ProjectBudgetReceipt = {
  /** UUIDv7. */
  project_id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Project objects. */
export type ProjectList = {
  data: Project[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Project to a caller who may not read it. */
export type ProjectReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Which ended triggers to delete. */
export type PurgeEvents = {
  /** Counted from the end of the wait. */
  older_than_days: number;
  /** True: only counts. */
  dry_run?: boolean | undefined;
};

/** All jobs whose newest active run a new run of this job waits for. `condition` is `completed` when absent. */
export type PutJobDependencies = {
  dependencies: Array<{
    /** Job id or slug. */
    job_id: string;
    /** As it was read: the slug of that job, or it is refused. */
    job_slug?: string | undefined;
    /** `completed`: the other run must complete. `ended`: it must end, however that may be. */
    condition?: "completed" | "ended" | undefined;
  }>;
};

/** The whole policy: what is left out is without a bound, not forbidden, not required. */
export type PutWorkflowPolicy = {
  /** Steps that may depend directly on one step. Null: no bound. */
  max_fan_out?: number | null | undefined;
  /** Steps that may stand in a row. Null: no bound. */
  max_depth?: number | null | undefined;
  /** Steps of a workflow. Null: no bound beyond the service's own. */
  max_steps?: number | null | undefined;
  forbidden_step_types?: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow"> | undefined;
  /** A changed version becomes current only when another than its author activates it. */
  require_approval_for_deploy?: boolean | undefined;
};

/** Whether the service can do its work. */
export type Readiness = {
  ready: boolean;
  /** Component name to `ok` or what is wrong. */
  checks: Record<string, string>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What the new run has in place of what the old one had. */
export type ReplayRun = {
  /** In place of the payload of the run. */
  payload?: unknown;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** An environment with the variables a run in it receives. */
export type ResolvedEnvironment = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  /** production, staging, development: born with the project, not deletable. */
  is_standard: boolean;
  /** UUIDv7. */
  parent_id: string | null;
  variables: Record<string, string>;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Its own variables over those of its parents: what a run receives. */
  resolved_variables: Record<string, string>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of ResolvedEnvironment to a caller who may not read it. */
export type ResolvedEnvironmentReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Allows or denies actions on a resource, beyond what scopes and roles say. */
export type ResourcePolicy = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `deny` wins over every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject: string;
  /** A `job` brings its runs and schedules, a `workflow` its workflow runs, an `environment` all that is in it. */
  resource_type: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation";
  /** An id, or `*` for all of the type. Of a job, workflow or environment the slug is taken, too; the id is kept. */
  resource_id: string;
  /** False: it acts on nothing now. Its resource was deleted, no job, no workflow and none of the newest thousand runs carries its tag, or none of its actions is about what it names. */
  matches_anything: boolean;
  description: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of ResourcePolicy objects. */
export type ResourcePolicyList = {
  data: ResourcePolicy[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of ResourcePolicy to a caller who may not read it. */
export type ResourcePolicyReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a member may do. */
export type Role = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  description: string | null;
  /** Its own; those of its parents come on top. */
  permissions: string[];
  /** UUIDv7. */
  parent_role_id: string | null;
  /** Part of the service: the same in every project. */
  is_system: boolean;
  /** With `include_lineage=true`: this role, its parent, and so on. */
  lineage: Array<{
    /** UUIDv7. */
    id: string;
    name: string;
    permissions: string[];
    is_system: boolean;
  }> | null;
  /** With `include_lineage=true`: all that it grants, and whence. */
  effective_permissions: Array<{
    permission: string;
    /** The name of the role that holds it. */
    granted_by: string;
    /** Names of the roles from this one to that one. */
    path: string[];
  }> | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Role objects. */
export type RoleList = {
  data: Role[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Role to a caller who may not read it. */
export type RoleReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How to rotate the key. */
export type RotateApiKey = {
  /** How long the old secret still works. Default: `0`. */
  grace_period_minutes?: number | undefined;
};

/** A new secret for an event source. */
export type RotateEventSourceSecret = {
  /** What the sender signs with. Left out, one is made; Stripe makes its own. */
  secret?: string | undefined;
  /** For how long the secret before is good, too. Default 0. */
  grace_period_minutes?: number | undefined;
};

/** How to rotate the signing secret. */
export type RotateWebhookSecret = {
  /** How long requests are signed with both secrets. Default: `0`. */
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
  /** The project's org: the key may then read every project of it. */
  org_id: string | null;
  name: string;
  /** The first 12 characters of the key. */
  key_prefix: string;
  /** Null: all scopes. */
  scopes: string[] | null;
  status: "active" | "expired" | "revoked";
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string | null;
  /** Rotation is due after this. */
  rotation_interval_days: number | null;
  /** ISO 8601, UTC, milliseconds. */
  rotated_at: string;
  /** The rotation interval has passed since the last rotation. */
  rotation_due: boolean;
  /** ISO 8601, UTC, milliseconds. */
  previous_key_expires_at: string | null;
  /** Also by a session or a token that the key has made; up to ten seconds behind. */
  last_used_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** ISO 8601, UTC, milliseconds. */
  revoked_at: string | null;
  /** The key itself. Returned this once; only its hash is kept. */
  key: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of RotatedApiKey to a caller who may not read it. */
export type RotatedApiKeyReceipt = {
  /** UUIDv7. */
  id: string;
  status: "active" | "expired" | "revoked";
  /** The key itself. Returned this once; only its hash is kept. */
  key: string;
  /** ISO 8601, UTC, milliseconds. */
  previous_key_expires_at: string | null;
  /** Address of this object's JSON Schema. */
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
  /** Rises with every dispatch and never repeats. */
  attempt: number;
  /** What `max_attempts` bounds: dispatches that ended in a failure, a timeout or with a lost instance. 0 again after a wait. */
  tries_used: number;
  /** How often it is tried, from its start or its last wait on. */
  max_attempts: number;
  timeout_secs: number;
  priority: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  result: unknown;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  concurrency_key: string | null;
  idempotency_key: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  created_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  /** UUIDv7. */
  parent_run_id: string | null;
  /** UUIDv7. */
  replay_of: string | null;
  /** The newest run that a replay made of it. */
  replayed_by: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  workflow_run_id: string | null;
  step_ref: string | null;
  progress: {
    percent: number | null;
    message: string | null;
    /** ISO 8601, UTC, milliseconds. */
    updated_at: string;
  } | null;
  pause_requested: boolean;
  /** What the run has reported. The time of its dispatches is not in it: `/cost` of the run and usage add it. */
  cost_microusd: number;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at: string;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  dead_lettered_at: string | null;
  /** When it left the dead-letter list by a replay or a retry of its step. Such a run is not replayed again. */
  replayed_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** One dispatch of a run to the endpoint of its job. */
export type RunAttempt = {
  /** UUIDv7. */
  run_id: string;
  attempt: number;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** Why it ended; null while it runs. */
  outcome: string | null;
  to_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  http_status: number | null;
  duration_ms: number | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunAttempt objects. */
export type RunAttemptList = {
  data: RunAttempt[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow run in one document, to be looked at and replayed elsewhere. */
export type RunCapsule = {
  format: "millrace.run-capsule";
  version: 1;
  /** Of `content` as canonical JSON (keys sorted, no spaces), in hex. */
  sha256: string;
  /** The run whole. Values of fields that are named as secrets are `[redacted]`. */
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
      /** ISO 8601, UTC, milliseconds. */
      started_at: string | null;
      /** ISO 8601, UTC, milliseconds. */
      finished_at: string | null;
      /** ISO 8601, UTC, milliseconds. */
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
      /** ISO 8601, UTC, milliseconds. */
      started_at: string | null;
      /** ISO 8601, UTC, milliseconds. */
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
    /** How many are not in the capsule. */
    left_out: {
      decisions: number;
      logs: number;
      /** Runs of items of maps. */
      job_runs?: number | undefined;
      map_items?: number | undefined;
    };
  };
};

/** A state that a run has saved. */
export type RunCheckpoint = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that told it. */
  attempt: number;
  state: unknown;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunCheckpoint objects. */
export type RunCheckpointList = {
  data: RunCheckpoint[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a run has cost. */
export type RunCost = {
  /** UUIDv7. */
  run_id: string;
  /** Reported and compute together, in millionths of a US dollar. */
  total_microusd: number;
  /** What runs have reported to have used. */
  reported_microusd: number;
  /** Wall time of dispatches × the project's rate. */
  compute_microusd: number;
  /** From claim to the end of the dispatch, all dispatches together. */
  wall_ms: number;
  /** Those that have ended. */
  dispatches: number;
  /** A dispatch is under way; its time is counted when it has ended. */
  is_running: boolean;
  /** The newest 100, oldest first. */
  attempts: Array<{
    attempt: number;
    outcome: "completed" | "waiting" | "failed" | "timed_out" | "silent" | "canceled" | "paused" | "retried" | "retried_after_timeout" | "retried_after_silence" | "retried_after_crash" | "drained" | null;
    wall_ms: number;
    /** Millionths of a US dollar. */
    compute_microusd: number;
    /** Millionths of a US dollar. */
    reported_microusd: number;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a run waits for, and whether it still does. */
export type RunDependencyStatus = {
  /** UUIDv7. */
  run_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** False while a dependency is open, or when one can no longer be satisfied. */
  unblocked: boolean;
  /** Of the run's job, as they are now. They hold for runs that are created from now on. */
  definitions: Array<{
    /** UUIDv7. */
    job_id: string;
    job_slug: string;
    /** `completed`: the other run must complete. `ended`: it must end, however that may be. */
    condition: "completed" | "ended";
  }>;
  /** The runs it was told to wait for when it was created. */
  dependencies: Array<{
    /** UUIDv7. */
    run_id: string;
    /** UUIDv7. */
    job_id: string;
    /** Named in the trigger, or found by a definition of the job. */
    source: "run" | "job";
    /** `completed`: the other run must complete. `ended`: it must end, however that may be. */
    condition: "completed" | "ended";
    /** Null: it was removed before it was seen to end. */
    status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
    state: "open" | "satisfied" | "failed";
    /** ISO 8601, UTC, milliseconds. */
    settled_at: string | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Why a run is not running, and what would start it. */
export type RunExplanation = {
  /** UUIDv7. */
  run_id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** In one sentence. */
  summary: string;
  /** All that holds it. Empty: it runs, has ended, or may start now. */
  blockers: Array<{
    /** What holds the run, for programs. */
    code: "not_due" | "backoff" | "dependency" | "paused_run" | "pause_requested" | "paused_job" | "paused_workflow_run" | "canceling" | "concurrency_key" | "job_concurrency" | "rate_limit" | "budget" | "circuit" | "waiting_for_event" | "sleeping" | "waiting_for_child" | "no_engine" | "not_queued" | "parked";
    /** What holds the run, for people. */
    message: string;
    /** ISO 8601, UTC, milliseconds. */
    since: string | null;
    /** ISO 8601, UTC, milliseconds. */
    until: string | null;
    /** What was found in the queue and its counters. */
    evidence: Record<string, unknown>;
    remedy: {
      message: string;
      /** A request that takes this blocker away. */
      request?: {
        method: "POST" | "PATCH" | "PUT" | "DELETE";
        /** Ready to be sent: everything in it is encoded. */
        path: string;
        body?: unknown;
      } | undefined;
    };
  }>;
  /** ISO 8601, UTC, milliseconds. */
  would_start_at: string | null;
  in_line: {
    host: string;
    /** Claimable runs before it in its lane, 10,000 at most. */
    ahead: number;
    engines_alive: number;
    /** Of the instance that answers; null when it has no engine. */
    dispatch_slots: number | null;
    dispatch_busy: number | null;
  } | null;
  running: {
    /** ISO 8601, UTC, milliseconds. */
    since: string;
    attempt: number;
    /** UUIDv7. */
    instance_id: string | null;
    /** ISO 8601, UTC, milliseconds. */
    accepted_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    lease_until: string;
    /** ISO 8601, UTC, milliseconds. */
    deadline: string;
    /** ISO 8601, UTC, milliseconds. */
    last_heartbeat_at: string | null;
  } | null;
  workflow: {
    /** UUIDv7. */
    workflow_run_id: string;
    step_ref: string | null;
    status: string | null;
    /** Where the decisions of the workflow run are. */
    explain: string;
  } | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Run objects. */
export type RunList = {
  data: Run[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A line that a run has logged. */
export type RunLog = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** UUIDv7. */
  job_id: string;
  /** The attempt that told it. */
  attempt: number;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: Record<string, unknown> | null;
  /** ISO 8601, UTC, milliseconds. */
  logged_at: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What `log` carries in the stream of a run. */
export type RunLogLine = {
  /** UUIDv7. */
  run_id: string;
  /** UUIDv7. */
  id: string;
  attempt: number;
  level: string;
  message: string;
  fields: unknown;
  /** ISO 8601, UTC, milliseconds. */
  logged_at: string;
  /** ISO 8601, UTC, milliseconds. */
  at: string;
};

/** A page of RunLog objects. */
export type RunLogList = {
  data: RunLog[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A named output of a run. */
export type RunOutput = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that told it. */
  attempt: number;
  name: string;
  value: unknown;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunOutput objects. */
export type RunOutputList = {
  data: RunOutput[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Run to a caller who may not read it. */
export type RunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What `status` carries in the stream of a run: the run without its payload and metadata. */
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
  /** Rises with every dispatch and never repeats. */
  attempt: number;
  /** What `max_attempts` bounds: dispatches that ended in a failure, a timeout or with a lost instance. 0 again after a wait. */
  tries_used: number;
  /** How often it is tried, from its start or its last wait on. */
  max_attempts: number;
  timeout_secs: number;
  priority: number;
  tags: Record<string, string>;
  result: unknown;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  concurrency_key: string | null;
  idempotency_key: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  created_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  /** UUIDv7. */
  parent_run_id: string | null;
  /** UUIDv7. */
  replay_of: string | null;
  /** The newest run that a replay made of it. */
  replayed_by: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  workflow_run_id: string | null;
  step_ref: string | null;
  progress: {
    percent: number | null;
    message: string | null;
    /** ISO 8601, UTC, milliseconds. */
    updated_at: string;
  } | null;
  pause_requested: boolean;
  /** What the run has reported. The time of its dispatches is not in it: `/cost` of the run and usage add it. */
  cost_microusd: number;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at: string;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  dead_lettered_at: string | null;
  /** When it left the dead-letter list by a replay or a retry of its step. Such a run is not replayed again. */
  replayed_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Runs over time. */
export type RunTimeseries = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  total: {
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  };
  /** Every bucket of the time, those without runs too, oldest first. */
  buckets: Array<{
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
    /** From when a run was due until it began. */
    start_delay_p50_ms: number | null;
    /** From when a run was due until it began. */
    start_delay_p95_ms: number | null;
    /** Runs that had not ended at the end of the bucket, or now. */
    open_runs: number;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A tool that a run has called. */
export type RunToolCall = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that told it. */
  attempt: number;
  name: string;
  status: "completed" | "failed";
  input: unknown;
  output: unknown;
  error: string | null;
  duration_ms: number | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunToolCall objects. */
export type RunToolCallList = {
  data: RunToolCall[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** One change of a run's status. */
export type RunTransition = {
  /** UUIDv7. */
  run_id: string;
  /** Numbers the transitions of a run from 1. */
  ordinal: number;
  from_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled" | null;
  to_status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Why it moved, for programs. */
  cause: string;
  attempt: number;
  /** What is known of it: error, HTTP status, duration. */
  detail: unknown;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunTransition objects. */
export type RunTransitionList = {
  data: RunTransition[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a run has used and what it cost. */
export type RunUsage = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  run_id: string;
  /** The attempt that told it. */
  attempt: number;
  provider: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_microusd: number;
  metadata: Record<string, unknown> | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of RunUsage objects. */
export type RunUsageList = {
  data: RunUsage[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Runs by what started them. */
export type RunsByTrigger = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** Runs that were created in this time. */
  total: number;
  /** Every kind, the most frequent first. */
  data: Array<{
    trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
    /** Runs that were created in this time. */
    created: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** Tries that failed and were followed by another. */
    retried: number;
    /** Of all that were created. */
    share: number | null;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    buckets: Array<{
      /** ISO 8601, UTC, milliseconds. */
      starts_at: string;
      /** Created in this bucket. */
      created: number;
    }>;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What became, or would become, of each run. */
export type RunsMigration = {
  /** UUIDv7. */
  workflow_id: string;
  to_version: number;
  /** UUIDv7. */
  to_version_id: string;
  dry_run: boolean;
  /** The batch operation that keeps these results; null for a dry run. */
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
    /** The version it was found on. */
    from_version: number | null;
    /** New in the target, and pending. */
    added_steps: string[];
    /** Had not started, and are not in the target. */
    removed_steps: string[];
    /** Why it stays where it is; at most 20. */
    reasons: Array<{
      /** Null: about the run itself. */
      step_ref: string | null;
      code: "not_found" | "ended" | "compensating" | "already_there" | "other_version" | "step_changed" | "step_removed";
      /** Of a changed step: the fields that differ. */
      fields: string[];
      message: string;
    }>;
  }>;
  /** Give it as `after` for the runs behind these; null: that was all. */
  next_after: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of RunsMigration to a caller who may not read it. */
export type RunsMigrationReceipt = {
  dry_run: boolean;
  /** The batch operation that keeps these results; null for a dry run. */
  batch_id: string | null;
  counts: {
    migrated: number;
    would_migrate: number;
    incompatible: number;
    unchanged: number;
  };
  /** Give it as `after` for the runs behind these; null: that was all. */
  next_after: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Filters of a list under a name, for everybody in the project. */
export type SavedView = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string;
  /** What is listed. */
  resource: "runs" | "workflow_runs" | "jobs" | "workflows" | "events" | "webhook_deliveries" | "logs" | "audit_events" | "analytics";
  /** Query parameters of the list, as text: `{"status": "failed", "q": "tag:eu"}`. Kept as they are. */
  query: Record<string, string>;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of SavedView objects. */
export type SavedViewList = {
  data: SavedView[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of SavedView to a caller who may not read it. */
export type SavedViewReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Starts runs of a job or a workflow at the times of a cron expression. */
export type Schedule = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  name: string | null;
  /** What it starts: a job, or a workflow. */
  job_id: string | null;
  /** UUIDv7. */
  workflow_id: string | null;
  /** Made from the job's or workflow's own `cron`, and changed through it. */
  is_default: boolean;
  cron: string;
  timezone: string;
  payload: unknown;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  overlap_policy: "allow" | "skip" | "cancel_running";
  /** UUIDv7. */
  environment_id: string | null;
  paused: boolean;
  /** ISO 8601, UTC, milliseconds. */
  paused_at: string | null;
  /** Null while it is paused. */
  next_fire_at: string | null;
  /** When it last started a run. */
  last_fired_at: string | null;
  /** The run, or workflow run, that it last started. */
  last_run_id: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Schedule objects. */
export type ScheduleList = {
  data: Schedule[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Schedule to a caller who may not read it. */
export type ScheduleReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** State to go on from. */
export type SdkCheckpointBody = {
  /** Any JSON, up to 256 KB. The next attempt receives it. */
  state: unknown;
};

/** The job is done. */
export type SdkCompleteBody = {
  /** Any JSON, up to 1 MB. */
  result?: unknown;
};

/** What became of the run. */
export type SdkEnded = {
  /** `pending`: it will be tried again. */
  status: "pending" | "running" | "waiting" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The job could not be done. */
export type SdkFailBody = {
  error: {
    /** `failed` when absent. */
    code?: string | undefined;
    message: string;
  };
  /** False: no further attempt can help. Default: `true`. */
  retryable?: boolean | undefined;
  /** In place of the job's own backoff. */
  retry_after_secs?: number | null | undefined;
};

/** What a living job should know. */
export type SdkHeartbeat = {
  /** A fresh run token. Null: the run was canceled. */
  token: string | null;
  /** ISO 8601, UTC, milliseconds. */
  deadline: string | null;
  /** The run was canceled: stop. */
  cancel_requested: boolean;
  /** Somebody asked to pause: the run is not started again by itself. */
  pause_requested: boolean;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Nothing to say but that the job is alive. */
export type SdkHeartbeatBody = Record<string, never>;

/** One line, or many under `logs`. */
export type SdkLogBody = {
  /** `info` when absent. */
  level?: "debug" | "info" | "warn" | "error" | undefined;
  message?: string | undefined;
  fields?: Record<string, unknown> | null | undefined;
  /** ISO 8601, UTC, milliseconds. */
  logged_at?: string | undefined;
  /** Many lines in place of one. */
  logs?: Array<{
    /** `info` when absent. */
    level?: "debug" | "info" | "warn" | "error" | undefined;
    message: string;
    fields?: Record<string, unknown> | null | undefined;
    /** ISO 8601, UTC, milliseconds. */
    logged_at?: string | undefined;
  }> | undefined;
};

/** How many lines were stored. */
export type SdkLogged = {
  /** Lines stored. */
  accepted: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Tags and metadata of the run, as stored. */
export type SdkMetadata = {
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Laid over what the run has, name by name. */
export type SdkMetadataBody = {
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
};

/** A named output. */
export type SdkOutputBody = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  value: unknown;
};

/** How far the run is, as stored. */
export type SdkProgress = {
  percent: number;
  message: string | null;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How far the run is. */
export type SdkProgressBody = {
  percent: number;
  message?: string | null | undefined;
};

/** The record as it was stored. */
export type SdkRecord = {
  /** UUIDv7. */
  id: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A run as its own job sees it. */
export type SdkRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  job_id: string;
  /** Rises with every dispatch and never repeats. */
  attempt: number;
  max_attempts: number;
  /** Dispatches that ended in a failure since the start or the last wait. */
  tries_used: number;
  payload: unknown;
  metadata: Record<string, unknown>;
  tags: Record<string, string>;
  /** Payload of the event that resumed the run; else the state it saved. */
  checkpoint: unknown;
  /** The last state saved with /checkpoint, over all attempts. */
  state: unknown;
  /** The waits of the run that have ended, in order. */
  waits: Array<{
    /** Of a sleep or an awaited child: one made of the wait's own id. */
    event_key: string;
    /** Numbers the waits of the run from 1. */
    ordinal: number;
    status: "received" | "timed_out" | "canceled";
    payload: unknown;
  }>;
  /** ISO 8601, UTC, milliseconds. */
  deadline: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How long the run sleeps: `secs`, or `until` a time within a year. Its attempt is over with the answer. */
export type SdkSleepBody = {
  secs?: number | null | undefined;
  /** ISO 8601, UTC, milliseconds. */
  until?: string | null | undefined;
};

/** A child run, in the environment of its parent. */
export type SdkSpawnBody = {
  /** Id or slug of the job to start. */
  job_id: string;
  payload?: unknown;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** A point is a minute ahead in line, so nothing starves. */
  priority?: number | undefined;
  /** Runs that share it share the job's `max_concurrency_per_key`, and take turns with other keys. */
  concurrency_key?: string | null | undefined;
  /** The same key within 24 hours answers the run that exists. Also as header `Idempotency-Key`. */
  idempotency_key?: string | null | undefined;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at?: string | null | undefined;
  delay_secs?: number | null | undefined;
  /** True: the calling run is suspended and goes on when the child has ended, with `{ok, status, output | error}` as its checkpoint. Its attempt is over with the answer. */
  wait?: boolean | undefined;
  /** How long to wait for the child; a year when absent. When it is over, the calling run is timed out. */
  wait_timeout_secs?: number | null | undefined;
};

/** A tool that the run has called. */
export type SdkToolCallBody = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name: string;
  input?: unknown;
  output?: unknown;
  error?: string | null | undefined;
  /** When absent: `failed` with an `error`, else `completed`. */
  status?: "completed" | "failed" | undefined;
  duration_ms?: number | null | undefined;
};

/** The usage as stored, and the run's cost so far. */
export type SdkUsage = {
  /** UUIDv7. */
  id: string;
  /** All that the run has reported so far. */
  cost_microusd: number;
  /** Past the job's `max_cost_microusd`: the run has been failed. */
  over_budget: boolean;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What the run has used and what it cost. */
export type SdkUsageBody = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  provider?: string | null | undefined;
  /** Shown to people: one line, without control, invisible or direction characters. */
  model?: string | null | undefined;
  input_tokens?: number | null | undefined;
  output_tokens?: number | null | undefined;
  /** Millionths of a US dollar. */
  cost_microusd?: number | undefined;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | null | undefined;
};

/** What the run waits for. Its attempt is over with the answer. */
export type SdkWaitBody = {
  /** 1 to 512 characters, no control characters; one waiter at a time. */
  event_key: string;
  /** When no event has come by then, the run is timed out. Default: `3600`. */
  timeout_secs?: number | undefined;
  /** Gets a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
};

/** An event for whoever waits for its key. */
export type SendEvent = {
  /** Any JSON; null when absent. */
  payload?: unknown;
  /** When nobody waits for the key: how long the event is kept for the next who does. */
  buffer_secs?: number | undefined;
};

/** The event that the owner of the address waits for. */
export type SendEventByCallback = {
  /** Any JSON; null when absent. */
  payload?: unknown;
};

/** An event for all whose key begins with the prefix. */
export type SendEventPrefix = {
  /** Any JSON; null when absent. */
  payload?: unknown;
  /** True: tells who would receive it, and sends nothing. */
  dry_run?: boolean | undefined;
};

/** A dashboard session. Its token is in the HttpOnly cookie. */
export type Session = {
  kind: "internal_secret" | "api_key" | "member";
  /** UUIDv7. */
  project_id: string | null;
  /** UUIDv7. */
  key_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The budget to set. Without `action` it only notifies; without `thresholds` they are 50, 80 and 100. */
export type SetProjectBudget = {
  /** In micro-USD, for a calendar month (UTC). Null: no budget. */
  monthly_budget_microusd: number | null;
  /** `notify` only tells. `block` refuses new triggers with 402 `budget_exceeded`, and holds steps, schedules and retries back. */
  action?: "notify" | "block" | undefined;
  /** Percents of the budget: reaching one is told once in a period. */
  thresholds?: number[] | undefined;
};

/** Whether the caller wants the monthly usage e-mail, and where. */
export type SetUsageEmailPreferences = {
  monthly_usage_email: boolean;
  /** Where it is sent. A member's is that of the token; a key has none of its own. */
  email?: string | null | undefined;
};

/** What a candidate would have decided otherwise. Nothing was dispatched and nothing was written. */
export type ShadowReport = {
  /** UUIDv7. */
  workflow_id: string;
  /** Of the candidate; null: it was sent as `steps`. */
  version_id: string | null;
  version: number | null;
  /** Runs that were replayed. */
  runs: number;
  /** Those among them in which something differs. */
  differing: number;
  /** Differences, by kind. */
  counts: {
    ran_to_skipped: number;
    skipped_to_ran: number;
    step_added: number;
    step_missing: number;
    other_outcome: number;
    end_status: number;
  };
  /** Steps about which there is something to tell, by name. */
  steps: Array<{
    step_ref: string;
    ran_to_skipped: number;
    skipped_to_ran: number;
    step_added: number;
    step_missing: number;
    other_outcome: number;
    end_status: number;
    /** Runs in which it was taken as completed without output. */
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
  /** Steps that were assumed and never completed in these runs: they count with no time and no cost. */
  unestimated: string[];
  /** Differing runs, newest first, capsules behind them. */
  results: Array<{
    /** UUIDv7. */
    workflow_run_id: string;
    /** Null: a run of this installation. */
    capsule_id: string | null;
    /** The version it ran with. */
    version: number;
    status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    replayed_status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    differences: Array<{
      /** Null: about the run itself. */
      step_ref: string | null;
      kind: "ran_to_skipped" | "skipped_to_ran" | "step_added" | "step_missing" | "other_outcome" | "end_status";
      /** The status it had; null: the run had no such step. */
      was: string | null;
      /** The status it would have; null: the candidate has no such step. */
      is: string | null;
      /** Why, in a sentence. */
      reason: string;
    }>;
    /** Steps that would start and of which its history does not say how they end. */
    assumed: string[];
    /** Length of the longest path of steps, without what limits add. */
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
  /** Differing runs that are not listed: beyond `limit`, or beyond 10000 differences in all. */
  left_out: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A candidate, and the runs to take through it. */
export type ShadowWorkflow = {
  /** Number or id of the candidate. Without it and without `steps`: the newest version. */
  version?: number | string | undefined;
  /** A candidate that is not saved; all else is as in the version that new runs take. */
  steps?: StepInput[] | undefined;
  /** The newest runs of the workflow that have ended: 100 when neither this nor ids are given. */
  last?: number | undefined;
  /** In place of `last`: runs of the workflow that have ended. */
  workflow_run_ids?: string[] | undefined;
  /** In place of `last`, or beside `workflow_run_ids`: imported runs, of any workflow. */
  capsule_ids?: string[] | undefined;
  /** Differing runs to list. Default: `100`. */
  limit?: number | undefined;
};

/** A workflow run to think through. */
export type SimulateWorkflow = {
  /** Of a version of the workflow. Absent: the current one. */
  version_id?: string | undefined;
  /** With one, the branches are told that a run with it takes. */
  payload?: unknown;
  /** By `step_ref`, what a step comes to. Not named: completed, with the output null. */
  outcomes?: Record<string, {
    status?: "completed" | "failed" | undefined;
    output?: unknown;
  }> | undefined;
};

/** Why the step is skipped. */
export type SkipStep = {
  /** Kept in `explain`. */
  reason?: string | undefined;
};

/** An event that came to a source, and what each subscription made of it. */
export type SourceEvent = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** As its sender calls it. */
  event_id: string | null;
  type: string | null;
  /** With a key of the project, or as a signed webhook. */
  via: "dispatch" | "inbound";
  /** `rejected`: `error` says why; no subscription was asked. */
  status: "dispatched" | "rejected";
  error: {
    /** For programs. */
    code: string;
    /** For people. */
    message: string;
  } | null;
  /** How many subscriptions it passed the filter of. */
  matched: number;
  /** How many runs it started. */
  started: number;
  /** How many subscriptions could not be judged or started. */
  failed: number;
  /** How many events led to it, one run starting the next; itself among them. */
  chain_depth: number;
  /** The run that dispatched it. */
  parent_run_id: string | null;
  /** The event that it repeats. */
  replay_of: string | null;
  /** Who dispatched it. */
  received_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  received_by_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  payload: unknown;
  /** What is known of it beside its payload. */
  metadata: Record<string, unknown>;
  /** What became of it at each subscription. */
  results: Array<{
    /** UUIDv7. */
    subscription_id: string;
    /** UUIDv7. */
    job_id: string | null;
    /** UUIDv7. */
    workflow_id: string | null;
    /** `existing`: a run that was there stands for it (dedup, debounce). `failed`: `error` says why nothing was started. */
    outcome: "started" | "existing" | "not_matched" | "disabled" | "failed";
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    workflow_run_id: string | null;
    error: {
      /** For programs. */
      code: string;
      /** For people. */
      message: string;
    } | null;
  }>;
  /** True: it was taken before, and this is what it did then. */
  duplicate?: boolean | undefined;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of SourceEvent objects. */
export type SourceEventList = {
  data: SourceEventSummary[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of SourceEvent to a caller who may not read it. */
export type SourceEventReceipt = {
  /** UUIDv7. */
  id: string;
  /** `rejected`: `error` says why; no subscription was asked. */
  status: "dispatched" | "rejected";
  /** True: it was taken before, and this is what it did then. */
  duplicate?: boolean | undefined;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An event that came to a source. */
export type SourceEventSummary = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  source_id: string;
  /** As its sender calls it. */
  event_id: string | null;
  type: string | null;
  /** With a key of the project, or as a signed webhook. */
  via: "dispatch" | "inbound";
  /** `rejected`: `error` says why; no subscription was asked. */
  status: "dispatched" | "rejected";
  error: {
    /** For programs. */
    code: string;
    /** For people. */
    message: string;
  } | null;
  /** How many subscriptions it passed the filter of. */
  matched: number;
  /** How many runs it started. */
  started: number;
  /** How many subscriptions could not be judged or started. */
  failed: number;
  /** How many events led to it, one run starting the next; itself among them. */
  chain_depth: number;
  /** The run that dispatched it. */
  parent_run_id: string | null;
  /** The event that it repeats. */
  replay_of: string | null;
  /** Who dispatched it. */
  received_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  received_by_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The run of a job, or of a workflow, that was started. */
export type StartedRun = Run | WorkflowRun;

/** A step as it is sent. A field that is not its type's is refused. */
export type StepInput = {
  /** Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, a letter or digit first. A name with `-` is written `steps["a-b"]` in conditions. */
  step_ref: string;
  /** A step without a type is a job step. */
  type?: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow" | undefined;
  /** The steps that must have ended first. */
  depends_on?: string[] | undefined;
  /** What a failure of the step means: the run fails (default), what depends on it is skipped, or it goes on. */
  on_failure?: "fail_workflow" | "skip_dependents" | "continue" | undefined;
  /** CEL over `payload`, `parent_outputs` and `steps.<ref>.status`, asked when all of `depends_on` have ended. False: the step is skipped and counts as done. */
  condition?: string | null | undefined;
  /** Job step, and `map` over a job: id or slug of the job; the id is kept. */
  job_id?: string | undefined;
  /** `sub_workflow`, and `map` over a workflow: id or slug of the workflow; the id is kept. */
  workflow_id?: string | undefined;
  /** `map`: one template that gives a list, such as `{{payload.orders}}`, or a list with templates. At most 10000 items. */
  items?: unknown;
  /** `map`: how many items run at a time, 1 to 1000. Default 10. */
  max_parallel?: number | undefined;
  /** `map`: how many items may fail without failing the step; true: all of them. Default false: none. The output of a failed item is null. */
  tolerate_failures?: boolean | number | undefined;
  /** Job step and `sub_workflow`: JSON with templates, laid over the payload of the run. `map`: JSON with templates, which may also read `item` and `index`, taken as it is; `{item, index}` without it. */
  payload?: unknown;
  /** Job step: for one attempt, 1 to 86400, as the job says when null. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400. */
  timeout_secs?: number | null | undefined;
  /** Job step: 1 to 100; as the job says when null. */
  max_attempts?: number | null | undefined;
  /** Job step: −100 to 100; as the job says when null. */
  priority?: number | null | undefined;
  /** Job step: template. */
  concurrency_key?: string | null | undefined;
  /** Job step: template, which may also read `output`. When the step has completed, whoever waits for this key is resumed with its output. */
  event_emit_key?: string | null | undefined;
  /** Job step: how long the event is kept when nobody waits, 0 to 604800. Default 0: not at all. */
  event_emit_buffer_secs?: number | undefined;
  /** Job, map or sub-workflow step: id or slug of the job that undoes it. Once the step has completed and the run fails, times out or is canceled, it gets `{input, output}`; of a map that failed or was canceled on its way, of its completed items, the newest first. */
  compensate_job_id?: string | null | undefined;
  /** `wait_for_event`: template; 1 to 512 characters when rendered. */
  event_key?: string | undefined;
  /** `wait_for_event`: gets a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
  /** `sleep`: such as `30s`, `5m`, `1h30m`, `168h`; up to 365 days. */
  sleep_duration?: string | undefined;
  /** `approval`: who may decide, by the id of a key, the subject of a member, or a name that only one of them has; ids and subjects are kept. Empty: whoever may write workflows. */
  approvers?: string[] | undefined;
  /** `approval`: template, shown to whoever decides. */
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
  /** Rises when the step is reset; what belongs to an older one is stale. */
  generation: number;
  output: unknown;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  /** Why it was skipped or canceled. */
  cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
  /** The step because of which. */
  cause_ref: string | null;
  /** UUIDv7. */
  run_id: string | null;
  /** UUIDv7. */
  event_trigger_id: string | null;
  /** What an approval asks, rendered when it began to wait: the first 10000 characters. Null: it says nothing, or has not begun. */
  message: string | null;
  /** What became of its compensation. Null: it was not started. */
  compensation_status: "running" | "completed" | "failed" | null;
  /** The run of its `compensate_job_id`. */
  compensation_run_id: string | null;
  compensation_error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  /** ISO 8601, UTC, milliseconds. */
  compensated_at: string | null;
  /** The workflow run that a `sub_workflow` step started. */
  child_workflow_run_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Of a `map` step that has started: how many of its items are where. Only when one step is asked for. */
  items?: {
    total: number;
    pending: number;
    running: number;
    completed: number;
    failed: number;
    canceled: number;
  } | undefined;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of StepRun objects. */
export type StepRunList = {
  data: StepRun[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of StepRun to a caller who may not read it. */
export type StepRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow run that was canceled or paused, and what is below it. */
export type StoppedWorkflowRun = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** The version it runs on: the one it was started with, unless it was moved to another. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: it undoes what its completed steps have done, and then ends by its `error`. */
  phase: "compensating" | null;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  routing_key: string | null;
  idempotency_key: string | null;
  /** How many of its steps failed, and how many compensations. */
  error_count: number;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  created_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  /** The workflow run whose step started it. */
  parent_workflow_run_id: string | null;
  /** That step; of an item of a map `ref[index]`. */
  parent_step_ref: string | null;
  /** The first of its line. Null: it is the first itself. */
  root_workflow_run_id: string | null;
  /** How many workflow runs stand above it. */
  depth: number;
  /** How long it may run; paused time does not count. */
  timeout_secs: number | null;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at: string;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  deadline: string | null;
  /** ISO 8601, UTC, milliseconds. */
  paused_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** What is below the workflow run, as the stop found it. */
  descendants: {
    /** Job runs that were claimed before the stop: aborted by a cancel, run to their end by a pause. No other is claimed. */
    in_flight: number;
    /** Job runs that are held in the queue, and workflow runs below it whose own state is still to follow. */
    pending: number;
  };
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of StoppedWorkflowRun to a caller who may not read it. */
export type StoppedWorkflowRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** What is below the workflow run, as the stop found it. */
  descendants: {
    /** Job runs that were claimed before the stop: aborted by a cancel, run to their end by a pause. No other is claimed. */
    in_flight: number;
    /** Job runs that are held in the queue, and workflow runs below it whose own state is still to follow. */
    pending: number;
  };
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What `change` carries in the stream of topics. */
export type StreamChange = {
  /** Those of the asked topics that it belongs to. */
  topics: string[];
  type: "run.status" | "run.progress" | "run.log" | "workflow_run.decision" | "event.status" | "webhook_delivery.status" | "batch.progress";
  /** Of the object: run, workflow run, event trigger, webhook delivery or batch operation. */
  id: string;
  /** ISO 8601, UTC, milliseconds. */
  at: string;
  /** What changed, and how it is now: status, times, progress. No payloads. */
  object: Record<string, unknown>;
};

/** The service as it is just now, for those who run it. Nothing of a tenant is in it. */
export type System = {
  /** Of the service. */
  version: string;
  /** Version of Node. */
  node: string;
  mode: "dev" | "serve";
  /** The instance that answers. */
  instance_id: string;
  database: {
    version: string;
    is_embedded: boolean;
    /** Of the whole database, with its indexes. */
    size_bytes: number;
    /** The last migration that it had. */
    schema_version: string | null;
    /** Connections to the database, of all programs. */
    connections: number;
    /** The most that it takes. */
    max_connections: number;
    /** How far its clock is before that of this instance. */
    clock_ahead_ms: number;
  };
  queue: {
    /** Runs that could start now. Counted up to 100,000, as the others. */
    ready: number;
    /** Runs that wait for a time, a limit, a job that is paused. */
    parked: number;
    /** Runs that an instance holds. */
    in_flight: number;
    /** Since when the first of those that could start waits. */
    oldest_ready_at: string | null;
  };
  pool: {
    /** Dispatches under way of this instance. */
    active: number;
    /** Runs that it has taken and that wait for a free place. */
    queued: number;
    /** Its places. */
    size: number;
  };
  instances: Array<{
    /** UUIDv7. */
    id: string;
    roles: string[];
    version: string;
    address: string;
    /** ISO 8601, UTC, milliseconds. */
    started_at: string;
    /** ISO 8601, UTC, milliseconds. */
    seen_at: string;
    /** It has said so within the last 30 seconds. */
    is_alive: boolean;
    /** It is the one that answers. */
    is_this: boolean;
  }>;
  /** What one instance does for all; reconciliation is part of it. */
  tasks: Array<{
    name: string;
    /** The instance that leads it. */
    holder: string;
    /** How often the lead was taken. */
    passes: number;
    /** When its last turn ended. Null: one is under way. */
    ended_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    next_due_at: string;
  }>;
  /** What was looked at, and what to do where it is not well. */
  findings: Array<{
    check: string;
    status: "ok" | "warning" | "failed";
    message: string;
    /** What to do; empty when nothing is. */
    remedy: string;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Allows or denies actions on all that carry a tag, beyond what scopes and roles say. */
export type TagPolicy = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** `deny` wins over every scope and every `allow`. */
  effect: "allow" | "deny";
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send">;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject: string;
  tag_key: string;
  /** Null: whatever the value. */
  tag_value: string | null;
  /** False: it acts on nothing now. Its resource was deleted, no job, no workflow and none of the newest thousand runs carries its tag, or none of its actions is about what it names. */
  matches_anything: boolean;
  description: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of TagPolicy objects. */
export type TagPolicyList = {
  data: TagPolicy[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of TagPolicy to a caller who may not read it. */
export type TagPolicyReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** An event to try. Nothing is started or kept. */
export type TestEvent = {
  /** As its sender calls it. The same again within the source's `dedup_window_secs` starts nothing. */
  id?: string | undefined;
  type?: string | undefined;
  /** Any JSON; an empty object when absent. */
  payload?: unknown;
  /** What is known of it beside its payload. */
  metadata?: Record<string, unknown> | undefined;
};

/** A narrow, short-lived token. It ends early with the key that made it. */
export type Token = {
  /** As a bearer, or on streams as `?token=`. It is kept nowhere. */
  token: string;
  scopes: Array<"runs:read" | "workflows:read" | "events:read" | "jobs:trigger" | "events:send">;
  run_ids: string[] | null;
  workflow_run_ids: string[] | null;
  tags: Record<string, string> | null;
  /** ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A run to start. `scheduled_at` or `delay_secs` start it later. */
export type TriggerJob = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** What the job works on; `{}` when absent. */
  payload?: unknown;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** A point is a minute ahead in line, so nothing starves. */
  priority?: number | undefined;
  /** Runs that share it share the job's `max_concurrency_per_key`, and take turns with other keys. */
  concurrency_key?: string | undefined;
  /** The same key within 24 hours answers the run that exists. Also as header `Idempotency-Key`. */
  idempotency_key?: string | undefined;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at?: string | undefined;
  delay_secs?: number | undefined;
  timeout_secs?: number | undefined;
  max_attempts?: number | undefined;
  /** Environment id or slug. */
  environment_id?: string | undefined;
  /** UUIDv7. */
  parent_run_id?: string | undefined;
  /** Runs that must be completed before this one starts. When one fails, this run is canceled. */
  depends_on_run_ids?: string[] | undefined;
  /** Checks everything and creates nothing. */
  dry_run?: boolean | undefined;
};

/** A workflow run to start. `scheduled_at` or `delay_secs` start it later. */
export type TriggerWorkflow = {
  /** Project id or slug. Implied by an API key, and must then match. */
  project_id?: string | undefined;
  /** What the workflow works on; `{}` when absent. */
  payload?: unknown;
  /** The same key within 24 hours answers the run that exists. Also as header `Idempotency-Key`. */
  idempotency_key?: string | undefined;
  /** Runs that share it take the same version. */
  routing_key?: string | undefined;
  /** Number or id of the version to run in place of the current one. */
  version?: number | string | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at?: string | undefined;
  delay_secs?: number | undefined;
  /** Environment id or slug. */
  environment_id?: string | undefined;
  /** Checks everything and creates nothing. */
  dry_run?: boolean | undefined;
};

/** The fields to change. The configuration is replaced whole. */
export type UpdateCanary = {
  /** Percent of new runs that take the target. */
  traffic_pct?: number | undefined;
  /** Moves the share step by step, and judges the target meanwhile. */
  auto_promote_config?: {
    /** False: nothing happens by itself. */
    enabled?: boolean | undefined;
    /** Shares of the traffic in percent, rising. After the last one the canary is promoted. */
    steps?: number[] | undefined;
    /** How long each share is kept at least. */
    interval_secs?: number | undefined;
    /** Runs of the target that have ended: in all before it is judged, and at each share before the next. */
    min_runs?: number | undefined;
    /** By how much the target's error rate may exceed the source's: 0.02 allows 7 % where it was 5 %. */
    max_failure_rate_increase?: number | undefined;
    /** By which part the target's p95 may exceed the source's: 0.2 allows a fifth. Null: any. */
    max_p95_increase?: number | null | undefined;
  } | null | undefined;
};

/** The fields to change. `variables` replaces the whole object. */
export type UpdateEnvironment = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** Whose variables it inherits: id or slug; the id is kept. */
  parent_id?: string | null | undefined;
  /** Handed to every run of the environment. Encrypted at rest. */
  variables?: Record<string, string> | undefined;
};

/** The fields to change. Another signature is another source. */
export type UpdateEventSource = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  description?: string | null | undefined;
  /** JSON Schema that every payload must fit. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** How long an event id is remembered: the same again starts nothing. 0: not at all. */
  dedup_window_secs?: number | undefined;
  /** False: it takes no events. */
  enabled?: boolean | undefined;
};

/** The fields to change. What it starts, and where, stays. */
export type UpdateEventSubscription = {
  /** CEL over `payload` and `event` (`id`, `type`, `source`, `metadata`), such as `event.type == 'paid'`. */
  filter?: string | null | undefined;
  /** JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload. */
  payload?: unknown;
  /** Template of the run's concurrency key. */
  concurrency_key?: string | null | undefined;
  enabled?: boolean | undefined;
};

/** The fields to change. Objects and lists are replaced whole. */
export type UpdateJob = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** Where runs are dispatched to. */
  endpoint_url?: string | undefined;
  /** Sent with every dispatch. Encrypted at rest. */
  headers?: Record<string, string> | undefined;
  /** For one attempt, from its dispatch. */
  timeout_secs?: number | undefined;
  /** How long an accepted run may be silent. */
  heartbeat_timeout_secs?: number | undefined;
  max_attempts?: number | undefined;
  /** 1 s doubled each time up to 1 h, 1 s more each time, 1 s, or your own. */
  retry_strategy?: "exponential" | "linear" | "fixed" | "custom" | undefined;
  /** With `custom`, and only then: the wait before each retry; the last one repeats. */
  retry_delays_secs?: number[] | null | undefined;
  /** Yours to fill: up to 50 values of any JSON type. */
  default_run_metadata?: Record<string, unknown> | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. What does not fit is refused. */
  result_schema?: Record<string, unknown> | null | undefined;
  /** A run that has cost more is stopped. */
  max_cost_microusd?: number | null | undefined;
  /** Job that is triggered when a run ends in failure: id or slug; the id is kept. */
  on_failure_job_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Where runs happen when nobody says: id or slug; the id is kept. Null: production. */
  environment_id?: string | null | undefined;
  /** False: nothing may trigger it. */
  enabled?: boolean | undefined;
  /** Runs of the job at the same time. */
  max_concurrency?: number | null | undefined;
  /** Runs with the same `concurrency_key` at the same time. */
  max_concurrency_per_key?: number | null | undefined;
  /** Starts in any `rate_limit_window_secs`. Both are given, or none. */
  rate_limit_max?: number | null | undefined;
  /** Window of `rate_limit_max`. */
  rate_limit_window_secs?: number | null | undefined;
  /** Further limits, each with its own name. */
  rate_limit_keys?: Array<{
    name: string;
    /** Runs whose rendered key is the same share the limit: `{{payload.customer_id}}`. */
    key: string;
    /** Starts in any window. */
    max: number;
    /** Length of the window. */
    window_secs: number;
  }> | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron?: string | null | undefined;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** The same payload within it answers the run that exists, and starts none. */
  dedup_window_secs?: number | null | undefined;
  /** A trigger while one of the same `concurrency_key` waits replaces its payload and waits anew. */
  debounce_window_secs?: number | null | undefined;
  /** A run that has not started by then is canceled. */
  run_ttl_secs?: number | null | undefined;
  /** A point is a minute ahead in line, so nothing starves. */
  priority?: number | undefined;
  /** Held of the budget while a run has not ended. */
  estimated_cost_microusd?: number | null | undefined;
  cancel_on?: Array<{
    /** Rendered over the run's payload: an event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
};

/** The fields to change. What waits is tried again at once. */
export type UpdateLogDrain = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Where the records are posted. */
  url?: string | undefined;
  /** `json`: an array of records. `ndjson`: one record a line. `otlp`: OpenTelemetry logs as JSON, for `…/v1/logs`. `loki`: for `…/loki/api/v1/push`. */
  format?: "json" | "ndjson" | "otlp" | "loki" | undefined;
  /** `bearer` takes `token`; `basic` takes `username` and `password`; `header` takes `name` and `value`. */
  auth?: {
    type: "none" | "bearer" | "basic" | "header";
    /** Kept encrypted, never shown again. */
    token?: string | undefined;
    username?: string | undefined;
    /** Kept encrypted, never shown again. */
    password?: string | undefined;
    name?: string | undefined;
    /** Kept encrypted, never shown again. */
    value?: string | undefined;
  } | undefined;
  /** Lines below this level are not sent. */
  min_level?: "debug" | "info" | "warn" | "error" | undefined;
  /** Ids or slugs: only lines of these jobs. Null: of all. */
  job_ids?: string[] | null | undefined;
  /** Only lines of runs there. Null: of all environments. By id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** Switched on again, it begins with what is logged then. */
  enabled?: boolean | undefined;
};

/** The fields to change. */
export type UpdateProject = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  /** A label that groups projects. */
  org_id?: string | null | undefined;
  description?: string | null | undefined;
  /** Most waiting event triggers of this project; null: the service's setting. */
  max_active_event_triggers?: number | null | undefined;
  /** Cost of one second of a run, in micro-USD. */
  compute_rate_microusd_per_sec?: number | undefined;
};

/** The fields to change. They act at once. */
export type UpdateResourcePolicy = {
  /** `deny` wins over every scope and every `allow`. */
  effect?: "allow" | "deny" | undefined;
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions?: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject?: string | undefined;
  /** A `job` brings its runs and schedules, a `workflow` its workflow runs, an `environment` all that is in it. */
  resource_type?: "*" | "environment" | "api_key" | "job" | "workflow" | "run" | "workflow_run" | "event_trigger" | "schedule" | "webhook_delivery" | "webhook_subscription" | "log_drain" | "batch_operation" | undefined;
  /** An id, or `*` for all of the type. Of a job, workflow or environment the slug is taken, too; the id is kept. */
  resource_id?: string | undefined;
  description?: string | null | undefined;
};

/** The fields to change. They act at once for all who have the role. */
export type UpdateRole = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Scopes; `*` is all of them. */
  permissions?: Array<"*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  description?: string | null | undefined;
  /** Id or name of a role. */
  parent_role_id?: string | null | undefined;
};

/** The fields to change of a run that has not started. `tags` and `metadata` replace the whole object. */
export type UpdateRun = {
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** Yours to fill: up to 50 values of any JSON type. */
  metadata?: Record<string, unknown> | undefined;
  /** A point is a minute ahead in line, so nothing starves. */
  priority?: number | undefined;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at?: string | undefined;
};

/** The fields to change. `query` replaces all of it. */
export type UpdateSavedView = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Query parameters of the list, as text: `{"status": "failed", "q": "tag:eu"}`. Kept as they are. */
  query?: Record<string, string> | undefined;
};

/** The fields to change. A new `cron` or `timezone` counts from now. */
export type UpdateSchedule = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | null | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron?: string | undefined;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** Given to every run of the schedule. */
  payload?: unknown;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Where its runs happen: id or slug; the id is kept. Null: as the job or workflow says, else production. */
  environment_id?: string | null | undefined;
};

/** The fields to change. They act at once. */
export type UpdateTagPolicy = {
  /** `deny` wins over every scope and every `allow`. */
  effect?: "allow" | "deny" | undefined;
  /** Scopes, `<area>:*` for all of an area, `*` for all. */
  actions?: Array<"*" | "projects:*" | "environments:*" | "api-keys:*" | "jobs:*" | "runs:*" | "workflows:*" | "events:*" | "webhooks:*" | "drains:*" | "access:*" | "audit:*" | "analytics:*" | "usage:*" | "projects:read" | "projects:write" | "environments:read" | "environments:write" | "api-keys:read" | "api-keys:write" | "jobs:read" | "jobs:write" | "runs:read" | "runs:write" | "workflows:read" | "workflows:write" | "events:read" | "events:write" | "webhooks:read" | "webhooks:write" | "drains:read" | "drains:write" | "access:read" | "access:write" | "audit:read" | "audit:write" | "analytics:read" | "analytics:write" | "usage:read" | "usage:write" | "jobs:trigger" | "workflows:trigger" | "events:send"> | undefined;
  /** `*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` with all that come from that role. It must be there. */
  subject?: string | undefined;
  tag_key?: string | undefined;
  /** Null: whatever the value. */
  tag_value?: string | null | undefined;
  description?: string | null | undefined;
};

/** The fields to change. `headers` replaces all of them. What is on its way already goes where it was going. */
export type UpdateWebhookSubscription = {
  /** Where the events are posted. */
  url?: string | undefined;
  /** Which events: by name, all of a kind as `run.*`, or `*`. */
  events?: Array<"run.*" | "run.created" | "run.started" | "run.waiting" | "run.paused" | "run.resumed" | "run.retrying" | "run.completed" | "run.failed" | "run.timed_out" | "run.canceled" | "run.dead_lettered" | "workflow_run.*" | "workflow_run.started" | "workflow_run.paused" | "workflow_run.resumed" | "workflow_run.retried" | "workflow_run.completed" | "workflow_run.failed" | "workflow_run.timed_out" | "workflow_run.canceled" | "event_trigger.*" | "event_trigger.created" | "event_trigger.received" | "event_trigger.timed_out" | "event_trigger.canceled" | "budget.*" | "budget.warning" | "budget.exceeded" | "budget.blocked" | "api_key.*" | "api_key.rotation_due" | "*"> | undefined;
  description?: string | null | undefined;
  /** A CEL expression over `event`, as `event.data.tags.team == "billing"`. Told are the events for which it is true. */
  filter?: string | null | undefined;
  /** Sent with every delivery. Encrypted at rest and shown as `[redacted]`, which stands for the value there is. */
  headers?: Record<string, string> | undefined;
  /** Only what happens there. Null: in every environment, and in none. By id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** False: nothing new is told; what was told before is still delivered. */
  enabled?: boolean | undefined;
};

/** The fields to change. Objects and lists are replaced whole, the steps too. */
export type UpdateWorkflow = {
  /** Shown to people: one line, without control, invisible or direction characters. */
  name?: string | undefined;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug?: string | undefined;
  steps?: StepInput[] | undefined;
  description?: string | null | undefined;
  /** Where runs happen when nobody says: id or slug; the id is kept. */
  environment_id?: string | null | undefined;
  /** An object of strings; a list is a shorthand: `["eu"]` is `{"eu": "true"}`. */
  tags?: Record<string, string> | string[] | undefined;
  /** False: nothing may trigger it. */
  enabled?: boolean | undefined;
  /** For the whole run; paused time is outside of it. */
  timeout_secs?: number | null | undefined;
  /** Steps that run at the same time; those that wait are not counted. */
  max_parallel_steps?: number | null | undefined;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. A payload that does not fit is refused. */
  payload_schema?: Record<string, unknown> | null | undefined;
  /** Runs of the workflow at the same time; others wait. */
  max_concurrent_runs?: number | null | undefined;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron?: string | null | undefined;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  cron_overlap_policy?: "allow" | "skip" | "cancel_running" | undefined;
  /** Job that is triggered when a run fails or times out: id or slug; the id is kept. */
  on_failure_job_id?: string | null | undefined;
  cancel_on?: Array<{
    /** 1 to 512 characters, rendered over the run's payload: an event with this key cancels the run. */
    event_key: string;
  }> | undefined;
  /** False: a new version is stored, and new runs still take the current one. */
  activate?: boolean | undefined;
  /** The new version breaks with the one before: runs in flight on it are audited. */
  breaking_change?: boolean | undefined;
};

/** Whether the caller wants the monthly usage e-mail. */
export type UsageEmailPreferences = {
  /** Off until it is asked for. */
  monthly_usage_email: boolean;
  email: string | null;
  /** False: the service has no way to send e-mail. */
  is_mail_configured: boolean;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of UsageHistory objects. */
export type UsageHistory = {
  data: UsagePeriod[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a project used in one billing period: a calendar month, UTC. */
export type UsagePeriod = {
  /** ISO 8601, UTC, milliseconds. */
  period_starts_at: string;
  /** ISO 8601, UTC, milliseconds. */
  period_ends_at: string;
  is_current: boolean;
  runs: {
    /** Runs that ended in this period. */
    total: number;
    /** Of them. */
    completed: number;
    /** Of them. */
    failed: number;
    /** Of them. */
    timed_out: number;
    /** Of them. */
    canceled: number;
  };
  /** Attempts that ended in this period. */
  dispatches: number;
  /** Time that dispatches took, exact to the millisecond. */
  compute_seconds: number;
  /** That time at the rate of the project. */
  compute_microusd: number;
  /** What runs reported that they cost. */
  reported_microusd: number;
  /** Both together. */
  cost_microusd: number;
  /** As reported. */
  input_tokens: number;
  /** As reported. */
  output_tokens: number;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How much of what a workflow does is on one version. */
export type VersionImpact = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  /** The newest runs of the workflow that were looked at, at most 1000. */
  sampled_runs: number;
  /** Those among them that run, or ran, this version. */
  matching_runs: number;
  /** Those among these that have not ended. */
  active_matching_runs: number;
  /** The newest of the matching runs whose steps are told below, at most 200. */
  steps_of_runs: number;
  /** In the order of the definition. */
  steps: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    /** Runs in which it was started. */
    reached: number;
    completed: number;
    failed: number;
    /** Runs in which it was started and has not ended. */
    open: number;
    skipped: number;
    /** Also where it had not been started. */
    canceled: number;
    /** Of those that completed. Null: none has. */
    durations: {
      p5_ms: number;
      p25_ms: number;
      p50_ms: number;
      p75_ms: number;
      p95_ms: number;
    } | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A webhook on its way to a receiver. `next_attempt_at` is null while an attempt is under way. */
export type WebhookDelivery = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The subscription it was made for. Null: the wait named the URL. */
  subscription_id: string | null;
  /** Sent as `webhook-id`: the same for all who are told of one event. */
  event_id: string;
  url: string;
  /** What it tells, as `event_trigger.received`. */
  event_type: string;
  /** What kind of object it tells of. */
  source_type: string;
  source_id: string;
  /** `failed`: given up, and on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** How often it was tried, since the last retry by hand. */
  attempts: number;
  max_attempts: number;
  /** ISO 8601, UTC, milliseconds. */
  next_attempt_at: string | null;
  /** What the receiver answered; null: nothing. */
  last_status_code: number | null;
  /** Why it was not delivered. */
  last_error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  delivered_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  failed_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A webhook with what is sent and with its attempts. */
export type WebhookDeliveryDetail = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  environment_id: string | null;
  /** The subscription it was made for. Null: the wait named the URL. */
  subscription_id: string | null;
  /** Sent as `webhook-id`: the same for all who are told of one event. */
  event_id: string;
  url: string;
  /** What it tells, as `event_trigger.received`. */
  event_type: string;
  /** What kind of object it tells of. */
  source_type: string;
  source_id: string;
  /** `failed`: given up, and on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** How often it was tried, since the last retry by hand. */
  attempts: number;
  max_attempts: number;
  /** ISO 8601, UTC, milliseconds. */
  next_attempt_at: string | null;
  /** What the receiver answered; null: nothing. */
  last_status_code: number | null;
  /** Why it was not delivered. */
  last_error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  delivered_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  failed_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** The text that is signed and sent, the same on every attempt. Null: the caller may not read what it tells of. */
  body: string | null;
  /** Oldest first; the newest hundred. */
  attempt_history: Array<{
    /** Counted from 1, and again after a retry by hand. */
    attempt: number;
    /** What the receiver answered; null: nothing. */
    status_code: number | null;
    /** Why it was not delivered. */
    error: string | null;
    duration_ms: number | null;
    /** `given_back`: it could not be sent and is not counted. `lost`: the sender fell silent. */
    outcome: "delivered" | "refused" | "to_be_retried" | "given_back" | "lost" | null;
    /** As they were sent; of those that the subscription adds the names alone. */
    request_headers: Record<string, string> | null;
    response_headers: Record<string, string> | null;
    /** The first 4,096 characters of what the receiver answered. */
    response_body: string | null;
    /** ISO 8601, UTC, milliseconds. */
    started_at: string;
    /** ISO 8601, UTC, milliseconds. */
    finished_at: string | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WebhookDelivery objects. */
export type WebhookDeliveryList = {
  data: WebhookDelivery[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of WebhookDelivery to a caller who may not read it. */
export type WebhookDeliveryReceipt = {
  /** UUIDv7. */
  id: string;
  /** `failed`: given up, and on the dead-letter list until it is retried. */
  status: "pending" | "delivered" | "failed";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How receivers of webhooks answered. */
export type WebhookEndpointHealth = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** Those that failed most first. */
  data: Array<{
    /** The URL of a subscription; of waits with a notify_url, the host of all that name it. */
    endpoint: string;
    /** UUIDv7. */
    subscription_id: string | null;
    /** Of the subscription. Null: it is gone, or there was none. */
    enabled: boolean | null;
    /** Requests that were sent to it. */
    attempts: number;
    /** Taken: 2xx. */
    delivered: number;
    /** Refused for good: 4xx, 3xx, an address that may not be reached. */
    refused: number;
    /** Failed: 5xx, no connection, no answer in time. */
    to_be_retried: number;
    /** Nobody knows: the instance that sent it fell silent. */
    lost: number;
    /** delivered / attempts; null without any. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
    /** The last delivery of this time that failed for good, among the newest 500 of the project. */
    last_failure: {
      /** UUIDv7. */
      delivery_id: string;
      /** ISO 8601, UTC, milliseconds. */
      failed_at: string;
      status_code: number | null;
      error: string | null;
    } | null;
    buckets: Array<{
      /** ISO 8601, UTC, milliseconds. */
      starts_at: string;
      /** Requests that were sent to it. */
      attempts: number;
      /** Taken: 2xx. */
      delivered: number;
      /** Refused for good: 4xx, 3xx, an address that may not be reached. */
      refused: number;
      /** Failed: 5xx, no connection, no answer in time. */
      to_be_retried: number;
      /** Nobody knows: the instance that sent it fell silent. */
      lost: number;
      /** delivered / attempts; null without any. */
      success_rate: number | null;
      /** Half took no longer. Null: none was measured. */
      p50_ms: number | null;
      /** 95 of 100 took no longer. */
      p95_ms: number | null;
      /** 99 of 100 took no longer. */
      p99_ms: number | null;
    }>;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** The new signing secret. */
export type WebhookSecret = {
  /** Signs outgoing requests (`whsec_…`). Shown this once. */
  webhook_secret: string;
  /** ISO 8601, UTC, milliseconds. */
  previous_secret_expires_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Tells a receiver outside of what happens in the project. */
export type WebhookSubscription = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Only what happens there. Null: in every environment, and in none. */
  environment_id: string | null;
  url: string;
  description: string | null;
  events: string[];
  filter: string | null;
  /** Their names; the values are not shown. */
  headers: Record<string, string>;
  enabled: boolean;
  /** How many of the newest deliveries that were tried have not been taken, up to 100. */
  consecutive_failures: number;
  /** Of its newest hundred deliveries. */
  last_delivered_at: string | null;
  /** Events that were not told because the filter could not be applied to them. */
  filter_errors: number;
  last_filter_error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  last_filter_error_at: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WebhookSubscription objects. */
export type WebhookSubscriptionList = {
  data: WebhookSubscription[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of WebhookSubscription to a caller who may not read it. */
export type WebhookSubscriptionReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What became of a `webhook.test` that was sent to try a subscription. It is sent once, and not kept. */
export type WebhookTest = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error: string | null;
  /** The beginning of what the receiver answered. */
  response_body: string | null;
  /** The body as it was sent. */
  sent: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of WebhookTest to a caller who may not read it. */
export type WebhookTestReceipt = {
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Steps that depend on each other, to be run in that order. */
export type Workflow = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** Lower-case letters, digits and single hyphens; unique in its parent; works wherever the id does. */
  slug: string;
  name: string;
  description: string | null;
  /** Where runs happen when nobody says. Null: production. */
  environment_id: string | null;
  /** False: nothing may trigger it. */
  enabled: boolean;
  /** Runs of the workflow at the same time; others wait. */
  max_concurrent_runs: number | null;
  /** Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once. */
  cron: string | null;
  /** A name of the IANA list, such as `Europe/Berlin`. */
  timezone: string;
  /** What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first. */
  cron_overlap_policy: "allow" | "skip" | "cancel_running";
  /** Job that is triggered when a run fails or times out. */
  on_failure_job_id: string | null;
  cancel_on: Array<{
    /** 1 to 512 characters, rendered over the run's payload: an event with this key cancels the run. */
    event_key: string;
  }>;
  steps: WorkflowStep[];
  /** For the whole run; paused time is outside of it. */
  timeout_secs: number | null;
  /** Steps that run at the same time; those that wait are not counted. */
  max_parallel_steps: number | null;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. A payload that does not fit is refused. */
  payload_schema: Record<string, unknown> | null;
  tags: Record<string, string>;
  /** Number of the newest version. */
  version: number;
  /** Number of the version that new runs take; its steps are shown. */
  current_version: number;
  /** Of the version that new runs take. */
  version_id: string;
  /** Of the active canary, else of the last one; null before the first. */
  canary_id: string | null;
  /** Runs in flight on the version that was replaced; absent without any. */
  active_runs_on_previous_version?: number | undefined;
  /** The version that was replaced, when runs are on it. */
  previous_version_id?: string | undefined;
  /** The version that was stored and is not the current one. */
  inactive_version_id?: string | undefined;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How many runs of each workflow came to an end, and to a good one. */
export type WorkflowCompletionRates = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** Those that were started most often first. */
  data: Array<{
    /** UUIDv7. */
    workflow_id: string;
    /** Null: the workflow is gone. */
    workflow_slug: string | null;
    /** Workflow runs that were created in this time and have begun. */
    started: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** How often steps were reset. A run that is retried after its end is counted at each of its ends. */
    retried: number;
    /** Ends, less those that were retried, by beginnings; null without any. */
    completion_rate: number | null;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
    versions: Array<{
      /** UUIDv7. */
      version_id: string;
      version: number | null;
      /** Workflow runs that were created in this time and have begun. */
      started: number;
      /** That ended so in this time. */
      completed: number;
      /** That ended so in this time. */
      failed: number;
      /** That ended so in this time. */
      timed_out: number;
      /** That ended so in this time. */
      canceled: number;
      /** How often steps were reset. A run that is retried after its end is counted at each of its ends. */
      retried: number;
      /** Ends, less those that were retried, by beginnings; null without any. */
      completion_rate: number | null;
      /** completed / (completed + failed + timed_out); null when none of them ended. */
      success_rate: number | null;
    }>;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** Something that was decided about a workflow run, stored as it was decided. */
export type WorkflowDecision = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** Numbers the decisions of a workflow run from 1. */
  ordinal: number;
  /** Null: about the workflow run itself. */
  step_ref: string | null;
  decision_type: "start" | "condition" | "skip" | "fail" | "hold" | "wait" | "event" | "complete" | "emit" | "cancel" | "retry" | "approve" | "reject" | "pause" | "resume" | "migrate" | "compensate" | "end";
  /** Why, in a sentence. */
  reason: string;
  /** What else is known of it, or null. */
  detail: unknown;
  /** Who decided it. Null: it followed from the workflow itself. */
  decided_by: string | null;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  decided_by_id: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowDecision objects. */
export type WorkflowDecisionList = {
  data: WorkflowDecision[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What differs between two versions of a workflow. */
export type WorkflowDiff = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  from_version_id: string;
  from_version: number;
  /** UUIDv7. */
  to_version_id: string;
  to_version: number;
  /** Steps that only the second has. */
  added: string[];
  /** Steps that only the first has. */
  removed: string[];
  changed: Array<{
    step_ref: string;
    changes: Array<{
      field: string;
      old: unknown;
      new: unknown;
    }>;
  }>;
  /** Of `timeout_secs`, `max_parallel_steps`, `payload_schema`. */
  changed_settings: Array<{
    field: string;
    old: unknown;
    new: unknown;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A workflow run as a graph, as it stands. */
export type WorkflowGraph = {
  /** UUIDv7. */
  workflow_run_id: string;
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: it undoes what its completed steps have done, and then ends by its `error`. */
  phase: "compensating" | null;
  /** In the order of the definition. */
  nodes: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
    /** Rises when the step is reset; what belongs to an older one is stale. */
    generation: number;
    error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    /** Why it was skipped or canceled. */
    cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
    /** The step because of which. */
    cause_ref: string | null;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    event_trigger_id: string | null;
    /** What an approval asks, rendered when it began to wait: the first 10000 characters. Null: it says nothing, or has not begun. */
    message: string | null;
    /** What became of its compensation. Null: it was not started. */
    compensation_status: "running" | "completed" | "failed" | null;
    /** The run of its `compensate_job_id`. */
    compensation_run_id: string | null;
    compensation_error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    /** ISO 8601, UTC, milliseconds. */
    compensated_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    started_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    finished_at: string | null;
    /** From start to end, or until now. Null: it has not started. */
    duration_ms: number | null;
    /** The median of its last 100 completed runs in this version. Null: there were fewer than 5. */
    estimate_ms: number | null;
  }>;
  /** `to` depends on `from`. */
  edges: Array<{
    from: string;
    to: string;
  }>;
  /** Pending steps of which all that they depend on is done, in the order in which they start. While the run is pending or paused they wait for it; once it has ended there are none. */
  runnable: string[];
  /** The chain of steps that decides how long the workflow run takes. */
  critical_path: {
    /** `durations` once the workflow run has ended: what its steps really took. */
    basis: "estimates" | "durations";
    step_refs: string[];
    /** How long the path is. Null while a step that has not ended has no estimate. */
    estimate_ms: number | null;
    /** How long the workflow run still takes, by the longest way to its end. Null as `estimate_ms`. */
    remaining_ms: number | null;
    /** Steps that have not ended and have no estimate. */
    unestimated: string[];
  };
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of Workflow objects. */
export type WorkflowList = {
  data: Workflow[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** In which order the steps of a workflow go. Nothing is changed. */
export type WorkflowPlan = {
  /** UUIDv7. */
  workflow_id: string;
  /** What the plan began with. */
  version_id: string;
  version: number;
  /** Steps were given that differ from the version's. */
  is_overridden: boolean;
  /** It could be saved: there are neither faults nor violations. */
  is_valid: boolean;
  step_count: number;
  /** Every step behind those it depends on. */
  order: string[];
  /** Steps of a wave could start when the waves before have ended. */
  waves: Array<string[]>;
  steps: Array<{
    step_ref: string;
    type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
    depends_on: string[];
    /** Null: in or behind a cycle. */
    wave: number | null;
    /** The median of its last 100 completed runs in this version. Null: there were fewer than 5, or it does something else now. */
    estimate_ms: number | null;
  }>;
  /** The chain of steps that decides how long a run takes. Null: there are faults. */
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
    /** What was sent there. */
    value: unknown;
  }>;
  /** Why a save would be refused, the policy aside. */
  faults: Array<{
    /** For example `body.steps[2].event_key`. */
    location: string;
    message: string;
    /** What was sent there. */
    value: unknown;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a project lets its workflows be. It is asked whenever steps are saved. */
export type WorkflowPolicy = {
  /** UUIDv7. */
  project_id: string;
  /** Steps that may depend directly on one step. Null: no bound. */
  max_fan_out: number | null;
  /** Steps that may stand in a row. Null: no bound. */
  max_depth: number | null;
  /** Steps of a workflow. Null: no bound beyond the service's own. */
  max_steps: number | null;
  forbidden_step_types: Array<"job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow">;
  /** A changed version becomes current only when another than its author activates it. */
  require_approval_for_deploy: boolean;
  /** Null: nobody has set a policy. */
  updated_by: string | null;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of Workflow to a caller who may not read it. */
export type WorkflowReceipt = {
  /** UUIDv7. */
  id: string;
  /** Address of this object's JSON Schema. */
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
  /** The version it runs on: the one it was started with, unless it was moved to another. */
  version: number;
  /** UUIDv7. */
  version_id: string;
  /** UUIDv7. */
  environment_id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** `compensating`: it undoes what its completed steps have done, and then ends by its `error`. */
  phase: "compensating" | null;
  payload: unknown;
  tags: Record<string, string>;
  metadata: Record<string, unknown>;
  routing_key: string | null;
  idempotency_key: string | null;
  /** How many of its steps failed, and how many compensations. */
  error_count: number;
  error: {
    /** What went wrong, for programs. */
    code: string;
    /** What went wrong, for people. */
    message: string;
    /** Who ended it, when an API key or a member did: the id that audit events record. */
    by_id?: string | undefined;
  } | null;
  trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
  created_by: string;
  /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
  created_by_id: string | null;
  /** UUIDv7. */
  schedule_id: string | null;
  /** UUIDv7. */
  batch_id: string | null;
  /** The workflow run whose step started it. */
  parent_workflow_run_id: string | null;
  /** That step; of an item of a map `ref[index]`. */
  parent_step_ref: string | null;
  /** The first of its line. Null: it is the first itself. */
  root_workflow_run_id: string | null;
  /** How many workflow runs stand above it. */
  depth: number;
  /** How long it may run; paused time does not count. */
  timeout_secs: number | null;
  /** ISO 8601, UTC, milliseconds. */
  scheduled_at: string;
  /** ISO 8601, UTC, milliseconds. */
  started_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  deadline: string | null;
  /** ISO 8601, UTC, milliseconds. */
  paused_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  finished_at: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowRun objects. */
export type WorkflowRunList = {
  data: WorkflowRun[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What a write answers in place of WorkflowRun to a caller who may not read it. */
export type WorkflowRunReceipt = {
  /** UUIDv7. */
  id: string;
  status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** What `status` carries in the stream of a workflow run: the run without its payload, and its steps in the order of the definition, without their outputs. */
export type WorkflowRunState = {
  run: {
    /** UUIDv7. */
    id: string;
    /** UUIDv7. */
    project_id: string;
    /** UUIDv7. */
    workflow_id: string;
    /** The version it runs on: the one it was started with, unless it was moved to another. */
    version: number;
    /** UUIDv7. */
    version_id: string;
    /** UUIDv7. */
    environment_id: string;
    status: "pending" | "running" | "paused" | "completed" | "failed" | "timed_out" | "canceled";
    /** `compensating`: it undoes what its completed steps have done, and then ends by its `error`. */
    phase: "compensating" | null;
    tags: Record<string, string>;
    metadata: Record<string, unknown>;
    routing_key: string | null;
    idempotency_key: string | null;
    /** How many of its steps failed, and how many compensations. */
    error_count: number;
    error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    trigger_type: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn";
    created_by: string;
    /** The id of whom the field before it names, as in audit events: of an API key its id, of a member the subject. Null: the service itself, or the internal secret. */
    created_by_id: string | null;
    /** UUIDv7. */
    schedule_id: string | null;
    /** UUIDv7. */
    batch_id: string | null;
    /** The workflow run whose step started it. */
    parent_workflow_run_id: string | null;
    /** That step; of an item of a map `ref[index]`. */
    parent_step_ref: string | null;
    /** The first of its line. Null: it is the first itself. */
    root_workflow_run_id: string | null;
    /** How many workflow runs stand above it. */
    depth: number;
    /** How long it may run; paused time does not count. */
    timeout_secs: number | null;
    /** ISO 8601, UTC, milliseconds. */
    scheduled_at: string;
    /** ISO 8601, UTC, milliseconds. */
    started_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    deadline: string | null;
    /** ISO 8601, UTC, milliseconds. */
    paused_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    finished_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    /** ISO 8601, UTC, milliseconds. */
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
    /** Rises when the step is reset; what belongs to an older one is stale. */
    generation: number;
    error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    /** Why it was skipped or canceled. */
    cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
    /** The step because of which. */
    cause_ref: string | null;
    /** UUIDv7. */
    run_id: string | null;
    /** UUIDv7. */
    event_trigger_id: string | null;
    /** What an approval asks, rendered when it began to wait: the first 10000 characters. Null: it says nothing, or has not begun. */
    message: string | null;
    /** What became of its compensation. Null: it was not started. */
    compensation_status: "running" | "completed" | "failed" | null;
    /** The run of its `compensate_job_id`. */
    compensation_run_id: string | null;
    compensation_error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    /** ISO 8601, UTC, milliseconds. */
    compensated_at: string | null;
    /** The workflow run that a `sub_workflow` step started. */
    child_workflow_run_id: string | null;
    /** ISO 8601, UTC, milliseconds. */
    started_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    finished_at: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    /** ISO 8601, UTC, milliseconds. */
    updated_at: string;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How a run would go. Nothing is started. */
export type WorkflowSimulation = {
  /** UUIDv7. */
  workflow_id: string;
  /** UUIDv7. */
  version_id: string;
  version: number;
  step_count: number;
  /** All steps, each behind those it depends on. */
  predicted_order: string[];
  /** What becomes of a run, by the planner that real runs have. Null: no payload was given. */
  branches: {
    status: "completed" | "failed";
    error: {
      /** What went wrong, for programs. */
      code: string;
      /** What went wrong, for people. */
      message: string;
      /** Who ended it, when an API key or a member did: the id that audit events record. */
      by_id?: string | undefined;
    } | null;
    error_count: number;
    /** The steps that are started. */
    order: string[];
    /** The steps that are undone before the run ends, in that order. */
    compensations: string[];
    steps: Array<{
      step_ref: string;
      status: "pending" | "running" | "waiting" | "completed" | "failed" | "skipped" | "canceled";
      /** Why it was skipped or canceled. */
      cause: "condition" | "dependency" | "manual" | "step_failed" | "workflow_canceled" | "workflow_timed_out" | null;
      /** The step because of which. */
      cause_ref: string | null;
      error: {
        /** What went wrong, for programs. */
        code: string;
        /** What went wrong, for people. */
        message: string;
        /** Who ended it, when an API key or a member did: the id that audit events record. */
        by_id?: string | undefined;
      } | null;
      /** What its condition gave. Null: it has none, or was not asked. */
      condition: boolean | null;
      /** When it is started; steps of a round run together. Null: it is not. */
      round: number | null;
      reason: string | null;
    }>;
  } | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A step of a workflow, with all fields of its type. */
export type WorkflowStep = {
  /** Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, a letter or digit first. A name with `-` is written `steps["a-b"]` in conditions. */
  step_ref: string;
  /** A step without a type is a job step. */
  type: "job" | "wait_for_event" | "sleep" | "approval" | "map" | "sub_workflow";
  /** The steps that must have ended first. */
  depends_on: string[];
  /** What a failure of the step means: the run fails (default), what depends on it is skipped, or it goes on. */
  on_failure: "fail_workflow" | "skip_dependents" | "continue";
  /** CEL over `payload`, `parent_outputs` and `steps.<ref>.status`, asked when all of `depends_on` have ended. False: the step is skipped and counts as done. */
  condition: string | null;
  /** Job step, and `map` over a job: id or slug of the job; the id is kept. */
  job_id?: string | undefined;
  /** `sub_workflow`, and `map` over a workflow: id or slug of the workflow; the id is kept. */
  workflow_id?: string | undefined;
  /** `map`: one template that gives a list, such as `{{payload.orders}}`, or a list with templates. At most 10000 items. */
  items?: unknown;
  /** `map`: how many items run at a time, 1 to 1000. Default 10. */
  max_parallel?: number | undefined;
  /** `map`: how many items may fail without failing the step; true: all of them. Default false: none. The output of a failed item is null. */
  tolerate_failures?: boolean | number | undefined;
  /** Job step and `sub_workflow`: JSON with templates, laid over the payload of the run. `map`: JSON with templates, which may also read `item` and `index`, taken as it is; `{item, index}` without it. */
  payload?: unknown;
  /** Job step: for one attempt, 1 to 86400, as the job says when null. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400. */
  timeout_secs?: number | null | undefined;
  /** Job step: 1 to 100; as the job says when null. */
  max_attempts?: number | null | undefined;
  /** Job step: −100 to 100; as the job says when null. */
  priority?: number | null | undefined;
  /** Job step: template. */
  concurrency_key?: string | null | undefined;
  /** Job step: template, which may also read `output`. When the step has completed, whoever waits for this key is resumed with its output. */
  event_emit_key?: string | null | undefined;
  /** Job step: how long the event is kept when nobody waits, 0 to 604800. Default 0: not at all. */
  event_emit_buffer_secs?: number | undefined;
  /** Job, map or sub-workflow step: id or slug of the job that undoes it. Once the step has completed and the run fails, times out or is canceled, it gets `{input, output}`; of a map that failed or was canceled on its way, of its completed items, the newest first. */
  compensate_job_id?: string | null | undefined;
  /** `wait_for_event`: template; 1 to 512 characters when rendered. */
  event_key?: string | undefined;
  /** `wait_for_event`: gets a signed webhook when the event arrives. */
  notify_url?: string | null | undefined;
  /** `sleep`: such as `30s`, `5m`, `1h30m`, `168h`; up to 365 days. */
  sleep_duration?: string | undefined;
  /** `approval`: who may decide, by the id of a key, the subject of a member, or a name that only one of them has; ids and subjects are kept. Empty: whoever may write workflows. */
  approvers?: string[] | undefined;
  /** `approval`: template, shown to whoever decides. */
  message?: string | null | undefined;
};

/** All workflows together. */
export type WorkflowSummary = {
  /** UUIDv7. */
  project_id: string;
  /** ISO 8601, UTC, milliseconds. */
  from: string;
  /** ISO 8601, UTC, milliseconds. */
  to: string;
  bucket: "1m" | "5m" | "1h" | "1d";
  /** When the roll-ups were last brought up to date. Null: not yet. */
  as_of: string | null;
  /** Workflows of which a run began or ended in this time. */
  workflows: number;
  total: {
    /** Workflow runs that were created in this time and have begun. */
    started: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** How often steps were reset. A run that is retried after its end is counted at each of its ends. */
    retried: number;
    /** Ends, less those that were retried, by beginnings; null without any. */
    completion_rate: number | null;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    mean_ms: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  };
  buckets: Array<{
    /** ISO 8601, UTC, milliseconds. */
    starts_at: string;
    /** Workflow runs that were created in this time and have begun. */
    started: number;
    /** That ended so in this time. */
    completed: number;
    /** That ended so in this time. */
    failed: number;
    /** That ended so in this time. */
    timed_out: number;
    /** That ended so in this time. */
    canceled: number;
    /** How often steps were reset. A run that is retried after its end is counted at each of its ends. */
    retried: number;
    /** completed / (completed + failed + timed_out); null when none of them ended. */
    success_rate: number | null;
    /** Half took no longer. Null: none was measured. */
    p50_ms: number | null;
    /** 95 of 100 took no longer. */
    p95_ms: number | null;
    /** 99 of 100 took no longer. */
    p99_ms: number | null;
  }>;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** How runs of a workflow go, as of one version. It never changes. */
export type WorkflowVersion = {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  project_id: string;
  /** UUIDv7. */
  workflow_id: string;
  version: number;
  steps: WorkflowStep[];
  /** For the whole run; paused time is outside of it. */
  timeout_secs: number | null;
  /** Steps that run at the same time; those that wait are not counted. */
  max_parallel_steps: number | null;
  /** JSON Schema, 2020-12 or draft-07 by its `$schema`, up to 64 KB. A payload that does not fit is refused. */
  payload_schema: Record<string, unknown> | null;
  /** Whoever made it said that it breaks with the one before. */
  breaking_change: boolean;
  /** Who made it current, when that was not its author. */
  approved_by: string | null;
  created_by: string;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

/** A page of WorkflowVersion objects. */
export type WorkflowVersionList = {
  data: WorkflowVersion[];
  /** True when another page follows. */
  has_more: boolean;
  /** Give it back as `cursor` to read the next page. */
  next_cursor: string | null;
  /** Address of this object's JSON Schema. */
  $schema?: string | undefined;
};

// Written by `npm run generate` from the contract. Do not edit.
// biome-ignore-all format: generated

import type * as schemas from "./schemas.ts";

/** What every endpoint takes and answers. */
export type Endpoints = {
  "POST /v1/projects": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: schemas.CreateProject;
    answer: schemas.CreatedProject;
  };
  "GET /v1/projects": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
    };
    body: undefined;
    answer: schemas.ProjectList;
    item: schemas.Project;
  };
  "GET /v1/projects/{projectID}": {
    params: { projectID: string };
    query: Record<never, never>;
    body: undefined;
    answer: schemas.Project;
  };
  "PATCH /v1/projects/{projectID}": {
    params: { projectID: string };
    query: Record<never, never>;
    body: schemas.UpdateProject;
    answer: schemas.Project;
  };
  "DELETE /v1/projects/{projectID}": {
    params: { projectID: string };
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  "POST /v1/projects/{projectID}/webhook-secret/rotate": {
    params: { projectID: string };
    query: Record<never, never>;
    body: schemas.RotateWebhookSecret;
    answer: schemas.WebhookSecret;
  };
  "POST /v1/environments": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateEnvironment;
    answer: schemas.Environment;
  };
  "GET /v1/environments": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EnvironmentList;
    item: schemas.Environment;
  };
  "GET /v1/environments/{envID}": {
    params: { envID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ResolvedEnvironment;
  };
  "PATCH /v1/environments/{envID}": {
    params: { envID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateEnvironment;
    answer: schemas.ResolvedEnvironment;
  };
  "DELETE /v1/environments/{envID}": {
    params: { envID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/api-keys": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateApiKey;
    answer: schemas.CreatedApiKey;
  };
  "GET /v1/api-keys": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      status?: "active" | "expired" | "revoked" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ApiKeyList;
    item: schemas.ApiKey;
  };
  "GET /v1/api-keys/{keyID}": {
    params: { keyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ApiKey;
  };
  "DELETE /v1/api-keys/{keyID}": {
    params: { keyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/api-keys/{keyID}/rotate": {
    params: { keyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.RotateApiKey;
    answer: schemas.RotatedApiKey;
  };
  "POST /v1/jobs": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateJob;
    answer: schemas.Job;
  };
  "GET /v1/jobs": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** `key`, or `key:value`: the first colon divides. A colon of the key itself is written `\:`. */
      tag?: string | undefined;
      enabled?: boolean | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobList;
    item: schemas.Job;
  };
  "GET /v1/jobs/{jobID}": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Job;
  };
  "PATCH /v1/jobs/{jobID}": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateJob;
    answer: schemas.Job;
  };
  "DELETE /v1/jobs/{jobID}": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/jobs/{jobID}/versions": {
    params: { jobID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobVersionList;
    item: schemas.JobVersion;
  };
  "GET /v1/jobs/{jobID}/versions/{versionID}": {
    params: { jobID: string; versionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobVersion;
  };
  "POST /v1/jobs/{jobID}/pause": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Job;
  };
  "POST /v1/jobs/{jobID}/resume": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Job;
  };
  "GET /v1/jobs/{jobID}/dependencies": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobDependencies;
  };
  "PUT /v1/jobs/{jobID}/dependencies": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.PutJobDependencies;
    answer: schemas.JobDependencies;
  };
  "POST /v1/jobs/{jobID}/trigger": {
    params: { jobID: string };
    query: {
      /** Answer when the run has ended (200), or 202 with the run as it is when the time is up. */
      wait_secs?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.TriggerJob;
    answer: schemas.Run;
  };
  "POST /v1/jobs/{jobID}/trigger/bulk": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkTrigger;
    answer: schemas.BulkTriggerResult;
  };
  "GET /v1/me": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: schemas.Me;
  };
  "GET /v1/runs": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
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
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunList;
    item: schemas.Run;
  };
  "GET /v1/runs/{runID}": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Run;
  };
  "PATCH /v1/runs/{runID}": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateRun;
    answer: schemas.Run;
  };
  "POST /v1/runs/{runID}/cancel": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CancelRun;
    answer: schemas.Run;
  };
  "POST /v1/runs/{runID}/pause": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Run;
  };
  "POST /v1/runs/{runID}/resume": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Run;
  };
  "POST /v1/runs/{runID}/replay": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.ReplayRun;
    answer: schemas.Run;
  };
  "POST /v1/runs/{runID}/discard": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Run;
  };
  "DELETE /v1/runs/{runID}/data": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/runs/{runID}/stream": {
    params: { runID: string };
    query: {
      /** The id of the last event that came, in place of the header `Last-Event-ID`: the stream goes on behind it. */
      last_event_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  "GET /v1/runs/{runID}/transitions": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunTransitionList;
    item: schemas.RunTransition;
  };
  "GET /v1/runs/{runID}/attempts": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunAttemptList;
    item: schemas.RunAttempt;
  };
  "GET /v1/runs/{runID}/children": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunList;
    item: schemas.Run;
  };
  "GET /v1/runs/{runID}/dependency-status": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunDependencyStatus;
  };
  "GET /v1/runs/{runID}/explain": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunExplanation;
  };
  "GET /v1/runs/{runID}/logs": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      level?: "debug" | "info" | "warn" | "error" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunLogList;
    item: schemas.RunLog;
  };
  "GET /v1/runs/{runID}/checkpoints": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunCheckpointList;
    item: schemas.RunCheckpoint;
  };
  "GET /v1/runs/{runID}/usage": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunUsageList;
    item: schemas.RunUsage;
  };
  "GET /v1/runs/{runID}/tool-calls": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunToolCallList;
    item: schemas.RunToolCall;
  };
  "GET /v1/runs/{runID}/outputs": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunOutputList;
    item: schemas.RunOutput;
  };
  "GET /v1/runs/{runID}/cost": {
    params: { runID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunCost;
  };
  "POST /v1/runs/bulk-cancel": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkCancelRuns;
    answer: schemas.BulkCancelRunsResult;
  };
  "POST /v1/runs/bulk-replay": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkReplayRuns;
    answer: schemas.BulkReplayRunsResult;
  };
  "POST /v1/runs/bulk-dlq-replay": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkReplayDeadLetters;
    answer: schemas.BatchOperation;
  };
  "POST /v1/runs/bulk-cancel-all": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkCancelAll;
    answer: schemas.BulkCancelAllPreview | schemas.BatchOperation;
  };
  "GET /v1/batch-operations": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** One status, or several with commas between them. */
      status?: string | undefined;
      kind?: "trigger" | "cancel" | "cancel_all" | "replay" | "dlq_replay" | "cancel_workflow_runs" | "migrate_workflow_runs" | "webhook_retry" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.BatchOperationList;
    item: schemas.BatchOperation;
  };
  "GET /v1/batch-operations/{batchOperationID}": {
    params: { batchOperationID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.BatchOperation;
  };
  "GET /v1/batch-operations/{batchOperationID}/items": {
    params: { batchOperationID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** By `index`, from the first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** One status, or several with commas between them. */
      status?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.BatchItemList;
    item: schemas.BatchItem;
  };
  "POST /v1/batch-operations/{batchOperationID}/cancel": {
    params: { batchOperationID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.BatchOperation;
  };
  "GET /v1/logs": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** The message contains this, in whatever case. */
      q?: string | undefined;
      /** One level, or several with commas between. */
      level?: string | undefined;
      /** This level and those above it: debug, info, warn, error. */
      min_level?: "debug" | "info" | "warn" | "error" | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** UUIDv7. */
      run_id?: string | undefined;
      /** UUIDv7. */
      workflow_run_id?: string | undefined;
      /** Stored at this time or later. */
      from?: string | undefined;
      /** Stored before this time. */
      to?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunLogList;
    item: schemas.RunLog;
  };
  "GET /sdk/v1/runs/{runID}": {
    params: { runID: string };
    query: Record<never, never>;
    body: undefined;
    answer: schemas.SdkRun;
  };
  "POST /sdk/v1/runs/{runID}/heartbeat": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkHeartbeatBody;
    answer: schemas.SdkHeartbeat;
  };
  "POST /sdk/v1/runs/{runID}/log": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkLogBody;
    answer: schemas.SdkLogged;
  };
  "POST /sdk/v1/runs/{runID}/checkpoint": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkCheckpointBody;
    answer: schemas.SdkRecord;
  };
  "POST /sdk/v1/runs/{runID}/progress": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkProgressBody;
    answer: schemas.SdkProgress;
  };
  "POST /sdk/v1/runs/{runID}/usage": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkUsageBody;
    answer: schemas.SdkUsage;
  };
  "POST /sdk/v1/runs/{runID}/tool-call": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkToolCallBody;
    answer: schemas.SdkRecord;
  };
  "POST /sdk/v1/runs/{runID}/output": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkOutputBody;
    answer: schemas.SdkRecord;
  };
  "POST /sdk/v1/runs/{runID}/metadata": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkMetadataBody;
    answer: schemas.SdkMetadata;
  };
  "POST /sdk/v1/runs/{runID}/complete": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkCompleteBody;
    answer: schemas.SdkEnded;
  };
  "POST /sdk/v1/runs/{runID}/fail": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkFailBody;
    answer: schemas.SdkEnded;
  };
  "POST /sdk/v1/runs/{runID}/spawn": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkSpawnBody;
    answer: schemas.Run;
  };
  "POST /sdk/v1/runs/{runID}/wait-for-event": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkWaitBody;
    answer: schemas.EventTrigger;
  };
  "POST /sdk/v1/runs/{runID}/sleep": {
    params: { runID: string };
    query: Record<never, never>;
    body: schemas.SdkSleepBody;
    answer: schemas.EventTrigger;
  };
  "GET /v1/events": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** `expires_at`: those that end soonest first, unless `order=desc`; with `status=waiting` alone. Else the newest first. */
      sort?: "created_at" | "expires_at" | undefined;
      status?: "waiting" | "received" | "timed_out" | "canceled" | undefined;
      source_type?: "workflow_step" | "job_run" | undefined;
      trigger_type?: "event" | "sleep" | undefined;
      /** UUIDv7. */
      workflow_run_id?: string | undefined;
      /** UUIDv7. */
      job_run_id?: string | undefined;
      /** Taken literally. */
      event_key_prefix?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventTriggerList;
    item: schemas.EventTrigger;
  };
  "GET /v1/runs/{runID}/events": {
    params: { runID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest first unless `desc`. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventTriggerList;
    item: schemas.EventTrigger;
  };
  "GET /v1/events/stats": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventStats;
  };
  "POST /v1/events/purge": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.PurgeEvents;
    answer: schemas.EventsPurged;
  };
  "POST /v1/events/dispatch": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.DispatchEvent;
    answer: schemas.SourceEvent;
  };
  "POST /v1/events/callback/{token}": {
    params: { token: string };
    query: Record<never, never>;
    body: schemas.SendEventByCallback;
    answer: schemas.CallbackReceived;
  };
  "POST /v1/events/prefix/{prefix}/send": {
    params: { prefix: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SendEventPrefix;
    answer: schemas.EventPrefixSent;
  };
  "GET /v1/events/{eventKey}": {
    params: { eventKey: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventTrigger;
  };
  "DELETE /v1/events/{eventKey}": {
    params: { eventKey: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/events/{eventKey}/send": {
    params: { eventKey: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SendEvent;
    answer: schemas.EventTrigger | schemas.BufferedEvent;
  };
  "GET /v1/events/{eventKey}/stream": {
    params: { eventKey: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  "POST /v1/event-sources": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateEventSource;
    answer: schemas.CreatedEventSource;
  };
  "GET /v1/event-sources": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventSourceList;
    item: schemas.EventSource;
  };
  "GET /v1/event-sources/{sourceID}": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventSource;
  };
  "PATCH /v1/event-sources/{sourceID}": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateEventSource;
    answer: schemas.EventSource;
  };
  "DELETE /v1/event-sources/{sourceID}": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/event-sources/{sourceID}/secret/rotate": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.RotateEventSourceSecret;
    answer: schemas.EventSourceSecret;
  };
  "POST /v1/event-sources/{sourceID}/subscriptions": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateEventSubscription;
    answer: schemas.EventSubscription;
  };
  "GET /v1/event-sources/{sourceID}/subscriptions": {
    params: { sourceID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventSubscriptionList;
    item: schemas.EventSubscription;
  };
  "GET /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}": {
    params: { sourceID: string; subscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventSubscription;
  };
  "PATCH /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}": {
    params: { sourceID: string; subscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateEventSubscription;
    answer: schemas.EventSubscription;
  };
  "DELETE /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}": {
    params: { sourceID: string; subscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/event-sources/{sourceID}/inbound": {
    params: { sourceID: string };
    query: Record<never, never>;
    body: unknown;
    answer: schemas.InboundReceived;
  };
  "POST /v1/event-sources/{sourceID}/test": {
    params: { sourceID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.TestEvent;
    answer: schemas.EventTested;
  };
  "GET /v1/event-sources/{sourceID}/events": {
    params: { sourceID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      status?: "dispatched" | "rejected" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.SourceEventList;
    item: schemas.SourceEventSummary;
  };
  "GET /v1/event-sources/{sourceID}/events/{eventID}": {
    params: { sourceID: string; eventID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.SourceEvent;
  };
  "POST /v1/event-sources/{sourceID}/events/{eventID}/replay": {
    params: { sourceID: string; eventID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.SourceEvent;
  };
  "GET /v1/jobs/{jobID}/schedule": {
    params: { jobID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobSchedule;
  };
  "POST /v1/schedules": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateSchedule;
    answer: schemas.Schedule;
  };
  "GET /v1/schedules": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Id or slug of a job. */
      job_id?: string | undefined;
      /** Id or slug of a workflow. */
      workflow_id?: string | undefined;
      /** Only those that are paused, or only those that are not. */
      paused?: boolean | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ScheduleList;
    item: schemas.Schedule;
  };
  "GET /v1/schedules/{scheduleID}": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Schedule;
  };
  "PATCH /v1/schedules/{scheduleID}": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateSchedule;
    answer: schemas.Schedule;
  };
  "DELETE /v1/schedules/{scheduleID}": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/schedules/{scheduleID}/run-now": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StartedRun;
  };
  "POST /v1/schedules/{scheduleID}/pause": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Schedule;
  };
  "POST /v1/schedules/{scheduleID}/resume": {
    params: { scheduleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Schedule;
  };
  "POST /v1/workflows": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateWorkflow;
    answer: schemas.Workflow;
  };
  "GET /v1/workflows": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** `key`, or `key:value`: the first colon divides. A colon of the key itself is written `\:`. */
      tag?: string | undefined;
      enabled?: boolean | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowList;
    item: schemas.Workflow;
  };
  "GET /v1/workflows/{workflowID}": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Workflow;
  };
  "PATCH /v1/workflows/{workflowID}": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateWorkflow;
    answer: schemas.Workflow;
  };
  "DELETE /v1/workflows/{workflowID}": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/workflows/{workflowID}/trigger": {
    params: { workflowID: string };
    query: {
      /** Answer when the run has ended (200), or 202 with the run as it is when the time is up. */
      wait_secs?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.TriggerWorkflow;
    answer: schemas.WorkflowRun;
  };
  "GET /v1/workflows/{workflowID}/versions": {
    params: { workflowID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowVersionList;
    item: schemas.WorkflowVersion;
  };
  "GET /v1/workflows/{workflowID}/versions/{versionID}": {
    params: { workflowID: string; versionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowVersion;
  };
  "POST /v1/workflows/{workflowID}/versions/{versionID}/activate": {
    params: { workflowID: string; versionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Workflow;
  };
  "GET /v1/workflows/{workflowID}/active-versions": {
    params: { workflowID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ActiveVersionList;
    item: schemas.ActiveVersion;
  };
  "POST /v1/workflows/{workflowID}/plan": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.PlanWorkflow;
    answer: schemas.WorkflowPlan;
  };
  "POST /v1/workflows/{workflowID}/simulate": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SimulateWorkflow;
    answer: schemas.WorkflowSimulation;
  };
  "GET /v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}": {
    params: { workflowID: string; fromVersionID: string; toVersionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowDiff;
  };
  "GET /v1/workflows/{workflowID}/versions/{versionID}/impact": {
    params: { workflowID: string; versionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.VersionImpact;
  };
  "GET /v1/workflow-policies/{projectID}": {
    params: { projectID: string };
    query: Record<never, never>;
    body: undefined;
    answer: schemas.WorkflowPolicy;
  };
  "PUT /v1/workflow-policies/{projectID}": {
    params: { projectID: string };
    query: {
      /** Changes nothing, and answers which workflows would violate the policy. */
      dry_run?: boolean | undefined;
    };
    body: schemas.PutWorkflowPolicy;
    answer: schemas.ChangedWorkflowPolicy;
  };
  "POST /v1/workflows/{workflowID}/canary": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateCanary;
    answer: schemas.Canary;
  };
  "GET /v1/workflows/{workflowID}/canary": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.CanaryComparison;
  };
  "PATCH /v1/workflows/{workflowID}/canary": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateCanary;
    answer: schemas.CanaryComparison;
  };
  "POST /v1/workflows/{workflowID}/canary/promote": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Canary;
  };
  "POST /v1/workflows/{workflowID}/canary/rollback": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Canary;
  };
  "POST /v1/workflows/{workflowID}/migrate-runs": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.MigrateRuns;
    answer: schemas.RunsMigration;
  };
  "POST /v1/workflows/{workflowID}/shadow": {
    params: { workflowID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.ShadowWorkflow;
    answer: schemas.ShadowReport;
  };
  "GET /v1/workflow-runs/{workflowRunID}/capsule": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunCapsule;
  };
  "POST /v1/workflow-runs/capsules": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.RunCapsule;
    answer: schemas.CapsuleSummary;
  };
  "GET /v1/workflow-runs/capsules": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.CapsuleList;
    item: schemas.CapsuleSummary;
  };
  "GET /v1/workflow-runs/capsules/{capsuleID}": {
    params: { capsuleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunCapsule;
  };
  "DELETE /v1/workflow-runs/capsules/{capsuleID}": {
    params: { capsuleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/workflow-runs/{workflowRunID}/graph": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowGraph;
  };
  "GET /v1/workflow-runs/{workflowRunID}/explain": {
    params: { workflowRunID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      step_ref?: string | undefined;
      decision_type?: "start" | "condition" | "skip" | "fail" | "hold" | "wait" | "event" | "complete" | "emit" | "cancel" | "retry" | "approve" | "reject" | "pause" | "resume" | "migrate" | "compensate" | "end" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowDecisionList;
    item: schemas.WorkflowDecision;
  };
  "GET /v1/workflow-runs": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Those that steps of this workflow run started. */
      parent_workflow_run_id?: string | undefined;
      /** Workflow id or slug. */
      workflow_id?: string | undefined;
      /** One status, or several with commas between them. */
      status?: string | undefined;
      trigger_type?: "cron" | "api" | "event" | "webhook" | "workflow" | "replay" | "spawn" | undefined;
      /** Matches the name in `created_by`, or the id in `created_by_id`. */
      created_by?: string | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** JSON that the payload contains: `{"user":{"id":42}}`. Numbers and strings are not the same. */
      payload_contains?: string | undefined;
      /** `key`, or `key:value`: the first colon divides. A colon of the key itself is written `\:`. */
      tag?: string | undefined;
      /** UUIDv7. */
      schedule_id?: string | undefined;
      /** UUIDv7. */
      batch_id?: string | undefined;
      /** Created at this time or later. */
      from?: string | undefined;
      /** Created before this time. */
      to?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowRunList;
    item: schemas.WorkflowRun;
  };
  "POST /v1/workflow-runs/bulk-cancel": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkCancelWorkflowRuns;
    answer: schemas.BulkCancelWorkflowRunsResult;
  };
  "GET /v1/workflow-runs/{workflowRunID}": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowRun;
  };
  "GET /v1/workflow-runs/{workflowRunID}/stream": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  "POST /v1/workflow-runs/{workflowRunID}/cancel": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CancelWorkflowRun;
    answer: schemas.StoppedWorkflowRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/pause": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StoppedWorkflowRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/resume": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/retry": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowRun;
  };
  "DELETE /v1/workflow-runs/{workflowRunID}/data": {
    params: { workflowRunID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/workflow-runs/{workflowRunID}/steps": {
    params: { workflowRunID: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StepRunList;
    item: schemas.StepRun;
  };
  "GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StepRun;
  };
  "GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/items": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** One status, or several with commas between them. */
      status?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.MapItemList;
    item: schemas.MapItem;
  };
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/retry": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StepRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/replay-subtree": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.StepRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/approve": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.DecideApproval;
    answer: schemas.StepRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/reject": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.DecideApproval;
    answer: schemas.StepRun;
  };
  "POST /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/skip": {
    params: { workflowRunID: string; stepRef: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SkipStep;
    answer: schemas.StepRun;
  };
  "GET /v1/webhook-deliveries": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Only those with this status. */
      status?: "pending" | "delivered" | "failed" | undefined;
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
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookDeliveryList;
    item: schemas.WebhookDelivery;
  };
  "GET /v1/webhook-deliveries/{deliveryID}": {
    params: { deliveryID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookDeliveryDetail;
  };
  "POST /v1/webhook-deliveries/bulk-retry": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.BulkRetryDeliveries;
    answer: schemas.BulkRetryDeliveriesResult | schemas.BatchOperation;
  };
  "POST /v1/webhook-deliveries/{deliveryID}/retry": {
    params: { deliveryID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookDelivery;
  };
  "POST /v1/webhook-subscriptions": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateWebhookSubscription;
    answer: schemas.WebhookSubscription;
  };
  "GET /v1/webhook-subscriptions": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Only those that are, or only those that are not. */
      enabled?: boolean | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookSubscriptionList;
    item: schemas.WebhookSubscription;
  };
  "GET /v1/webhook-subscriptions/{webhookSubscriptionID}": {
    params: { webhookSubscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookSubscription;
  };
  "PATCH /v1/webhook-subscriptions/{webhookSubscriptionID}": {
    params: { webhookSubscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateWebhookSubscription;
    answer: schemas.WebhookSubscription;
  };
  "DELETE /v1/webhook-subscriptions/{webhookSubscriptionID}": {
    params: { webhookSubscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/webhook-subscriptions/{webhookSubscriptionID}/test": {
    params: { webhookSubscriptionID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookTest;
  };
  "POST /v1/log-drains": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateLogDrain;
    answer: schemas.LogDrain;
  };
  "GET /v1/log-drains": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.LogDrainList;
    item: schemas.LogDrain;
  };
  "GET /v1/log-drains/{drainID}": {
    params: { drainID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.LogDrain;
  };
  "PATCH /v1/log-drains/{drainID}": {
    params: { drainID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateLogDrain;
    answer: schemas.LogDrain;
  };
  "DELETE /v1/log-drains/{drainID}": {
    params: { drainID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/log-drains/{drainID}/test": {
    params: { drainID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.LogDrainTest;
  };
  "GET /v1/audit-events": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Created at this time or later. */
      from?: string | undefined;
      /** Created before this time. */
      to?: string | undefined;
      /** Name or id of who did it. */
      actor?: string | undefined;
      /** Such as `job.updated`, or `job.*` for all of a kind. */
      action?: string | undefined;
      resource_type?: string | undefined;
      resource_id?: string | undefined;
      request_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.AuditEventList;
    item: schemas.AuditEvent;
  };
  "GET /v1/audit-events/verify": {
    params: Record<never, string>;
    query: {
      /** Go on behind this event: `next_after` of the call before. */
      after?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.AuditVerification;
  };
  "GET /v1/audit-events/export": {
    params: Record<never, string>;
    query: {
      /** Created at this time or later. */
      from?: string | undefined;
      /** Created before this time. */
      to?: string | undefined;
      /** Name or id of who did it. */
      actor?: string | undefined;
      /** Such as `job.updated`, or `job.*` for all of a kind. */
      action?: string | undefined;
      resource_type?: string | undefined;
      resource_id?: string | undefined;
      request_id?: string | undefined;
      /** `ndjson` unless said otherwise. */
      format?: "ndjson" | "csv" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  "POST /v1/roles": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateRole;
    answer: schemas.Role;
  };
  "GET /v1/roles": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RoleList;
    item: schemas.Role;
  };
  "GET /v1/roles/{roleID}": {
    params: { roleID: string };
    query: {
      /** Show its parents, and whence each permission comes. */
      include_lineage?: boolean | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Role;
  };
  "PATCH /v1/roles/{roleID}": {
    params: { roleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateRole;
    answer: schemas.Role;
  };
  "DELETE /v1/roles/{roleID}": {
    params: { roleID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/resource-policies": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateResourcePolicy;
    answer: schemas.ResourcePolicy;
  };
  "GET /v1/resource-policies": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ResourcePolicyList;
    item: schemas.ResourcePolicy;
  };
  "GET /v1/resource-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ResourcePolicy;
  };
  "PATCH /v1/resource-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateResourcePolicy;
    answer: schemas.ResourcePolicy;
  };
  "DELETE /v1/resource-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/tag-policies": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateTagPolicy;
    answer: schemas.TagPolicy;
  };
  "GET /v1/tag-policies": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.TagPolicyList;
    item: schemas.TagPolicy;
  };
  "GET /v1/tag-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.TagPolicy;
  };
  "PATCH /v1/tag-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateTagPolicy;
    answer: schemas.TagPolicy;
  };
  "DELETE /v1/tag-policies/{policyID}": {
    params: { policyID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "POST /v1/access/check": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CheckAccess;
    answer: schemas.AccessDecision;
  };
  "POST /v1/members": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.AssignMember;
    answer: schemas.Member;
  };
  "GET /v1/members": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Id or name of a role. */
      role_id?: string | undefined;
      subject?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.MemberList;
    item: schemas.Member;
  };
  "POST /v1/members/bulk": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.AssignMembers;
    answer: schemas.MemberResults;
  };
  "GET /v1/members/{memberID}": {
    params: { memberID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.Member;
  };
  "DELETE /v1/members/{memberID}": {
    params: { memberID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/analytics/runs/by-trigger": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunsByTrigger;
  };
  "GET /v1/analytics/runs/duration-distribution": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.DurationDistribution;
  };
  "GET /v1/analytics/workflows/completion-rates": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Workflow id or slug. */
      workflow_id?: string | undefined;
      /** Workflows that have a step of this job, by id or slug. */
      job_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowCompletionRates;
  };
  "GET /v1/analytics/workflows/summary": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Workflow id or slug. */
      workflow_id?: string | undefined;
      /** Workflows that have a step of this job, by id or slug. */
      job_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WorkflowSummary;
  };
  "GET /v1/analytics/jobs/by-version": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.JobsByVersion;
  };
  "GET /v1/analytics/events/volume": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.EventVolume;
  };
  "GET /v1/analytics/performance": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.PerformanceReport;
  };
  "GET /v1/analytics/webhooks/endpoint-health": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.WebhookEndpointHealth;
  };
  "GET /v1/analytics/timeseries": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.RunTimeseries;
  };
  "GET /v1/analytics/errors": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** How long the time of one point is, in UTC. Chosen by the length of the time if absent. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** How many are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ErrorGroups;
  };
  "GET /v1/analytics/costs": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its day. The beginning of the month if absent. */
      from?: string | undefined;
      /** Put forward to the end of its day. The end of the month, or with `from` now if absent. */
      to?: string | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** How long the time of one point is. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** Group by the values of this tag in `tags`. */
      tag_key?: string | undefined;
      /** How many of each group are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.CostReport;
  };
  "GET /v1/analytics/compute": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its bucket. 24 hours ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its bucket. Now if absent. */
      to?: string | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      /** How long the time of one point is. */
      bucket?: "1m" | "5m" | "1h" | "1d" | undefined;
      /** How many of each group are named. */
      limit?: number | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ComputeReport;
  };
  "GET /v1/analytics/cost-insights": {
    params: Record<never, string>;
    query: {
      /** Put back to the beginning of its day. 30 days ago if absent. */
      from?: string | undefined;
      /** Put forward to the end of its day. Now if absent. */
      to?: string | undefined;
      /** Environment id or slug. */
      environment_id?: string | undefined;
      /** Job id or slug. */
      job_id?: string | undefined;
      rule?: "retry_waste" | "always_times_out" | "overlong_timeout" | "idle_schedule" | "duplicate_payloads" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.CostInsights;
  };
  "POST /v1/saved-views": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateSavedView;
    answer: schemas.SavedView;
  };
  "GET /v1/saved-views": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** What is listed. */
      resource?: "runs" | "workflow_runs" | "jobs" | "workflows" | "events" | "webhook_deliveries" | "logs" | "audit_events" | "analytics" | undefined;
      created_by?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.SavedViewList;
    item: schemas.SavedView;
  };
  "GET /v1/saved-views/{viewID}": {
    params: { viewID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.SavedView;
  };
  "PATCH /v1/saved-views/{viewID}": {
    params: { viewID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.UpdateSavedView;
    answer: schemas.SavedView;
  };
  "DELETE /v1/saved-views/{viewID}": {
    params: { viewID: string };
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  "GET /v1/stream": {
    params: Record<never, string>;
    query: {
      /** Up to 50 with commas between them: `runs`, `run:<id>`, `run_logs:<run id>`, `workflow_runs`, `workflow_run:<id>`, `events`, `event:<key>` (the key percent-encoded once more), `webhook_deliveries`, `webhook_delivery:<id>`, `batches`, `batch:<id>`. */
      topics: string;
      /** The id of the last event that came, in place of the header `Last-Event-ID`: the stream goes on behind it. */
      last_event_id?: string | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  "POST /v1/tokens": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.CreateToken;
    answer: schemas.Token;
  };
  "POST /v1/session": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: schemas.CreateSession;
    answer: schemas.Session;
  };
  "GET /v1/session": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: schemas.Session;
  };
  "DELETE /v1/session": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: undefined;
  };
  "GET /v1/project-budget": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.ProjectBudget;
  };
  "PUT /v1/project-budget": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SetProjectBudget;
    answer: schemas.ProjectBudget;
  };
  "GET /v1/usage/current": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.UsagePeriod;
  };
  "GET /v1/usage/history": {
    params: Record<never, string>;
    query: {
      /** Page size. */
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Oldest or newest first. */
      order?: "asc" | "desc" | undefined;
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.UsageHistory;
    item: schemas.UsagePeriod;
  };
  "GET /v1/usage/email-preferences": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: undefined;
    answer: schemas.UsageEmailPreferences;
  };
  "PUT /v1/usage/email-preferences": {
    params: Record<never, string>;
    query: {
      /** Project id or slug. Implied by an API key, and must then match. */
      project_id?: string | undefined;
    };
    body: schemas.SetUsageEmailPreferences;
    answer: schemas.Empty;
  };
  "GET /health": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: schemas.Health;
  };
  "GET /health/ready": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: schemas.Readiness;
  };
  "GET /metrics": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: string;
  };
  "GET /v1/system": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: schemas.System;
  };
  "GET /schemas/{name}": {
    params: { name: string };
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>;
  };
  "GET /openapi.json": {
    params: Record<never, string>;
    query: Record<never, never>;
    body: undefined;
    answer: Record<string, unknown>;
  };
};

/** Under which noun and verb the client has each endpoint. */
export const ENDPOINTS = {
  access: {
    /** Check whether a subject may do something, and why */
    check: ["POST", "/v1/access/check", "body"],
  },
  analytics: {
    /** Count runs by trigger type */
    runsByTrigger: ["GET", "/v1/analytics/runs/by-trigger", "plain"],
    /** Get the durations of runs, as percentiles and as a histogram */
    runsDurationDistribution: ["GET", "/v1/analytics/runs/duration-distribution", "plain"],
    /** Get the completion and success rates of each workflow */
    workflowsCompletionRates: ["GET", "/v1/analytics/workflows/completion-rates", "plain"],
    /** Get the totals of all workflows, also over time */
    workflowsSummary: ["GET", "/v1/analytics/workflows/summary", "plain"],
    /** Measure runs by the version of their job */
    jobsByVersion: ["GET", "/v1/analytics/jobs/by-version", "plain"],
    /** Count events over time */
    eventsVolume: ["GET", "/v1/analytics/events/volume", "plain"],
    /** Get the slowest jobs, the throughput and the health */
    performance: ["GET", "/v1/analytics/performance", "plain"],
    /** Get the health of webhook receivers over time */
    webhooksEndpointHealth: ["GET", "/v1/analytics/webhooks/endpoint-health", "plain"],
    /** Count and measure runs over time, in every bucket */
    timeseries: ["GET", "/v1/analytics/timeseries", "plain"],
    /** Group failures of runs by cause */
    errors: ["GET", "/v1/analytics/errors", "plain"],
    /** Get the costs of the current billing period, by group */
    costs: ["GET", "/v1/analytics/costs", "plain"],
    /** Get the busy time, outcomes and costs of dispatches */
    compute: ["GET", "/v1/analytics/compute", "plain"],
    /** Get suggestions for saving costs, from the project's own runs */
    costInsights: ["GET", "/v1/analytics/cost-insights", "plain"],
  },
  apiKeys: {
    /** Create an API key; only this response contains its secret */
    create: ["POST", "/v1/api-keys", "body"],
    /** List API keys */
    list: ["GET", "/v1/api-keys", "list"],
    /** Get an API key */
    get: ["GET", "/v1/api-keys/{keyID}", "plain"],
    /** Revoke an API key */
    delete: ["DELETE", "/v1/api-keys/{keyID}", "plain"],
    /** Rotate the secret of an API key */
    rotate: ["POST", "/v1/api-keys/{keyID}/rotate", "body"],
  },
  auditEvents: {
    /** List audit events */
    list: ["GET", "/v1/audit-events", "list"],
    /** Verify the chain of audit events */
    verify: ["GET", "/v1/audit-events/verify", "plain"],
    /** Export audit events as NDJSON or CSV */
    export: ["GET", "/v1/audit-events/export", "plain"],
  },
  batchOperations: {
    /** List batch operations and their progress */
    list: ["GET", "/v1/batch-operations", "list"],
    /** Get a batch operation and its progress */
    get: ["GET", "/v1/batch-operations/{batchOperationID}", "plain"],
    /** List the items of a batch operation with their results */
    items: ["GET", "/v1/batch-operations/{batchOperationID}/items", "list"],
    /** Cancel a batch operation: no further item is started */
    cancel: ["POST", "/v1/batch-operations/{batchOperationID}/cancel", "plain"],
  },
  environments: {
    /** Create an environment */
    create: ["POST", "/v1/environments", "body"],
    /** List environments */
    list: ["GET", "/v1/environments", "list"],
    /** Get an environment with the variables it inherits */
    get: ["GET", "/v1/environments/{envID}", "plain"],
    /** Update an environment */
    update: ["PATCH", "/v1/environments/{envID}", "body"],
    /** Delete an environment that nothing depends on */
    delete: ["DELETE", "/v1/environments/{envID}", "plain"],
  },
  eventSources: {
    /** Create an event source */
    create: ["POST", "/v1/event-sources", "body"],
    /** List event sources */
    list: ["GET", "/v1/event-sources", "list"],
    /** Get an event source */
    get: ["GET", "/v1/event-sources/{sourceID}", "plain"],
    /** Update an event source */
    update: ["PATCH", "/v1/event-sources/{sourceID}", "body"],
    /** Delete an event source and its subscriptions */
    delete: ["DELETE", "/v1/event-sources/{sourceID}", "plain"],
    /** Rotate the secret of an event source */
    rotateSecret: ["POST", "/v1/event-sources/{sourceID}/secret/rotate", "body"],
    /** Subscribe a job or a workflow to an event source */
    createSubscription: ["POST", "/v1/event-sources/{sourceID}/subscriptions", "body"],
    /** List the subscriptions of an event source */
    subscriptions: ["GET", "/v1/event-sources/{sourceID}/subscriptions", "list"],
    /** Get a subscription */
    subscription: ["GET", "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", "plain"],
    /** Update a subscription */
    updateSubscription: ["PATCH", "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", "body"],
    /** Delete a subscription */
    deleteSubscription: ["DELETE", "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", "plain"],
    /** Receive a signed webhook */
    inbound: ["POST", "/v1/event-sources/{sourceID}/inbound", "body"],
    /** Preview which subscriptions an event matches, and why */
    test: ["POST", "/v1/event-sources/{sourceID}/test", "body"],
    /** List the events that a source received */
    events: ["GET", "/v1/event-sources/{sourceID}/events", "list"],
    /** Get an event with the result of each subscription */
    event: ["GET", "/v1/event-sources/{sourceID}/events/{eventID}", "plain"],
    /** Replay an event to the current subscriptions */
    replayEvent: ["POST", "/v1/event-sources/{sourceID}/events/{eventID}/replay", "plain"],
  },
  events: {
    /** List event triggers */
    list: ["GET", "/v1/events", "list"],
    /** Count event triggers by status */
    stats: ["GET", "/v1/events/stats", "plain"],
    /** Delete event triggers that ended before a number of days */
    purge: ["POST", "/v1/events/purge", "body"],
    /** Dispatch an event to the subscriptions of its source */
    dispatch: ["POST", "/v1/events/dispatch", "body"],
    /** Send an event through a callback URL */
    sendByCallback: ["POST", "/v1/events/callback/{token}", "body"],
    /** Send an event to all waiting triggers whose key starts with a prefix */
    sendPrefix: ["POST", "/v1/events/prefix/{prefix}/send", "body"],
    /** Get the event trigger waiting for a key, else the newest one */
    get: ["GET", "/v1/events/{eventKey}", "plain"],
    /** Cancel a waiting event trigger */
    delete: ["DELETE", "/v1/events/{eventKey}", "plain"],
    /** Send an event to the trigger waiting for a key */
    send: ["POST", "/v1/events/{eventKey}/send", "body"],
    /** Follow an event trigger to its end, as server-sent events */
    stream: ["GET", "/v1/events/{eventKey}/stream", "stream"],
  },
  health: {
    /** Liveness check */
    get: ["GET", "/health", "plain"],
    /** Readiness check */
    ready: ["GET", "/health/ready", "plain"],
  },
  jobs: {
    /** Create a job */
    create: ["POST", "/v1/jobs", "body"],
    /** List jobs */
    list: ["GET", "/v1/jobs", "list"],
    /** Get a job */
    get: ["GET", "/v1/jobs/{jobID}", "plain"],
    /** Update a job; a change of run behavior creates a new version */
    update: ["PATCH", "/v1/jobs/{jobID}", "body"],
    /** Delete a job; its runs are kept */
    delete: ["DELETE", "/v1/jobs/{jobID}", "plain"],
    /** List the versions of a job */
    versions: ["GET", "/v1/jobs/{jobID}/versions", "list"],
    /** Get a version of a job */
    version: ["GET", "/v1/jobs/{jobID}/versions/{versionID}", "plain"],
    /** Pause a job: triggers are accepted, but their runs wait */
    pause: ["POST", "/v1/jobs/{jobID}/pause", "plain"],
    /** Resume a paused job */
    resume: ["POST", "/v1/jobs/{jobID}/resume", "plain"],
    /** Get the jobs that a job's runs wait for */
    dependencies: ["GET", "/v1/jobs/{jobID}/dependencies", "plain"],
    /** Set the jobs that a job's runs wait for */
    setDependencies: ["PUT", "/v1/jobs/{jobID}/dependencies", "body"],
    /** Start a run of a job */
    trigger: ["POST", "/v1/jobs/{jobID}/trigger", "body"],
    /** Start up to 100 runs of a job */
    bulkTrigger: ["POST", "/v1/jobs/{jobID}/trigger/bulk", "body"],
    /** Get the next times of a job's own cron */
    schedule: ["GET", "/v1/jobs/{jobID}/schedule", "plain"],
  },
  logDrains: {
    /** Create a log drain */
    create: ["POST", "/v1/log-drains", "body"],
    /** List log drains */
    list: ["GET", "/v1/log-drains", "list"],
    /** Get a log drain */
    get: ["GET", "/v1/log-drains/{drainID}", "plain"],
    /** Update a log drain */
    update: ["PATCH", "/v1/log-drains/{drainID}", "body"],
    /** Delete a log drain */
    delete: ["DELETE", "/v1/log-drains/{drainID}", "plain"],
    /** Send a test record to a log drain */
    test: ["POST", "/v1/log-drains/{drainID}/test", "plain"],
  },
  logs: {
    /** Search the log lines of runs */
    list: ["GET", "/v1/logs", "list"],
  },
  me: {
    /** Get the caller and its permissions */
    get: ["GET", "/v1/me", "plain"],
  },
  members: {
    /** Add a member, or change a member's role */
    create: ["POST", "/v1/members", "body"],
    /** List members */
    list: ["GET", "/v1/members", "list"],
    /** Assign up to a hundred members */
    bulk: ["POST", "/v1/members/bulk", "body"],
    /** Get a member */
    get: ["GET", "/v1/members/{memberID}", "plain"],
    /** Remove a member */
    delete: ["DELETE", "/v1/members/{memberID}", "plain"],
  },
  metrics: {
    /** Metrics in Prometheus text format */
    get: ["GET", "/metrics", "plain"],
  },
  openapi: {
    /** The API as an OpenAPI 3.1 document */
    get: ["GET", "/openapi.json", "plain"],
  },
  projectBudget: {
    /** Get the budget of the project and its current state */
    get: ["GET", "/v1/project-budget", "plain"],
    /** Set the budget of the project */
    set: ["PUT", "/v1/project-budget", "body"],
  },
  projects: {
    /** Create a project */
    create: ["POST", "/v1/projects", "body"],
    /** List the projects the caller may read */
    list: ["GET", "/v1/projects", "list"],
    /** Get a project by id or slug */
    get: ["GET", "/v1/projects/{projectID}", "plain"],
    /** Update a project */
    update: ["PATCH", "/v1/projects/{projectID}", "body"],
    /** Delete a project and its keys */
    delete: ["DELETE", "/v1/projects/{projectID}", "plain"],
    /** Rotate the secret that signs outgoing requests */
    rotateWebhookSecret: ["POST", "/v1/projects/{projectID}/webhook-secret/rotate", "body"],
  },
  resourcePolicies: {
    /** Create a resource policy */
    create: ["POST", "/v1/resource-policies", "body"],
    /** List resource policies */
    list: ["GET", "/v1/resource-policies", "list"],
    /** Get a resource policy */
    get: ["GET", "/v1/resource-policies/{policyID}", "plain"],
    /** Update a resource policy */
    update: ["PATCH", "/v1/resource-policies/{policyID}", "body"],
    /** Delete a resource policy */
    delete: ["DELETE", "/v1/resource-policies/{policyID}", "plain"],
  },
  roles: {
    /** Create a role */
    create: ["POST", "/v1/roles", "body"],
    /** List roles */
    list: ["GET", "/v1/roles", "list"],
    /** Get a role, optionally with its lineage */
    get: ["GET", "/v1/roles/{roleID}", "plain"],
    /** Update a role */
    update: ["PATCH", "/v1/roles/{roleID}", "body"],
    /** Delete a role without members */
    delete: ["DELETE", "/v1/roles/{roleID}", "plain"],
  },
  runs: {
    /** List runs */
    list: ["GET", "/v1/runs", "list"],
    /** Get a run */
    get: ["GET", "/v1/runs/{runID}", "plain"],
    /** Change a run that has not started */
    update: ["PATCH", "/v1/runs/{runID}", "body"],
    /** Cancel a run and the runs it spawned */
    cancel: ["POST", "/v1/runs/{runID}/cancel", "body"],
    /** Pause a run: at once, or when it next comes back into the queue */
    pause: ["POST", "/v1/runs/{runID}/pause", "plain"],
    /** Let a paused run go on */
    resume: ["POST", "/v1/runs/{runID}/resume", "plain"],
    /** Do an ended run again, as a new run */
    replay: ["POST", "/v1/runs/{runID}/replay", "body"],
    /** Take a run off the dead-letter list */
    discard: ["POST", "/v1/runs/{runID}/discard", "plain"],
    /** Delete what an ended run was given and what it gave back */
    deleteData: ["DELETE", "/v1/runs/{runID}/data", "plain"],
    /** Follow a run and what it logs to its end, as server-sent events */
    stream: ["GET", "/v1/runs/{runID}/stream", "stream"],
    /** List the changes of a run's status */
    transitions: ["GET", "/v1/runs/{runID}/transitions", "list"],
    /** List the attempts of a run */
    attempts: ["GET", "/v1/runs/{runID}/attempts", "list"],
    /** List the runs that a run spawned */
    children: ["GET", "/v1/runs/{runID}/children", "list"],
    /** Show what a run waits for, and whether it still does */
    dependencyStatus: ["GET", "/v1/runs/{runID}/dependency-status", "plain"],
    /** Say why a run is not running, and what would start it */
    explain: ["GET", "/v1/runs/{runID}/explain", "plain"],
    /** List the lines a run has logged */
    logs: ["GET", "/v1/runs/{runID}/logs", "list"],
    /** List the states a run has saved */
    checkpoints: ["GET", "/v1/runs/{runID}/checkpoints", "list"],
    /** List what a run has used */
    usage: ["GET", "/v1/runs/{runID}/usage", "list"],
    /** List the tools a run has called */
    toolCalls: ["GET", "/v1/runs/{runID}/tool-calls", "list"],
    /** List the named outputs of a run */
    outputs: ["GET", "/v1/runs/{runID}/outputs", "list"],
    /** What a run has cost: reported usage and compute */
    cost: ["GET", "/v1/runs/{runID}/cost", "plain"],
    /** Cancel up to 100 runs and the runs they spawned */
    bulkCancel: ["POST", "/v1/runs/bulk-cancel", "body"],
    /** Do up to 100 ended runs again, each as a new run */
    bulkReplay: ["POST", "/v1/runs/bulk-replay", "body"],
    /** Do dead letters again, by name or by filter, in the background */
    bulkDlqReplay: ["POST", "/v1/runs/bulk-dlq-replay", "body"],
    /** Cancel every run that fits a filter, in the background */
    bulkCancelAll: ["POST", "/v1/runs/bulk-cancel-all", "body"],
    /** List the events that a run has waited for */
    events: ["GET", "/v1/runs/{runID}/events", "list"],
  },
  savedViews: {
    /** Save the filters of a list under a name */
    create: ["POST", "/v1/saved-views", "body"],
    /** List saved views */
    list: ["GET", "/v1/saved-views", "list"],
    /** Get a saved view */
    get: ["GET", "/v1/saved-views/{viewID}", "plain"],
    /** Change a saved view */
    update: ["PATCH", "/v1/saved-views/{viewID}", "body"],
    /** Delete a saved view */
    delete: ["DELETE", "/v1/saved-views/{viewID}", "plain"],
  },
  schedules: {
    /** Create a schedule */
    create: ["POST", "/v1/schedules", "body"],
    /** List schedules */
    list: ["GET", "/v1/schedules", "list"],
    /** Get a schedule */
    get: ["GET", "/v1/schedules/{scheduleID}", "plain"],
    /** Change a schedule */
    update: ["PATCH", "/v1/schedules/{scheduleID}", "body"],
    /** Delete a schedule */
    delete: ["DELETE", "/v1/schedules/{scheduleID}", "plain"],
    /** Start a run of a schedule now */
    runNow: ["POST", "/v1/schedules/{scheduleID}/run-now", "plain"],
    /** Pause a schedule */
    pause: ["POST", "/v1/schedules/{scheduleID}/pause", "plain"],
    /** Resume a schedule, from now on */
    resume: ["POST", "/v1/schedules/{scheduleID}/resume", "plain"],
  },
  schemas: {
    /** The JSON Schema behind a `$schema` link */
    get: ["GET", "/schemas/{name}", "plain"],
  },
  sdkRuns: {
    /** Get the own run */
    get: ["GET", "/sdk/v1/runs/{runID}", "plain"],
    /** Say that the job is alive, and learn whether to stop */
    heartbeat: ["POST", "/sdk/v1/runs/{runID}/heartbeat", "body"],
    /** Log one line or many */
    log: ["POST", "/sdk/v1/runs/{runID}/log", "body"],
    /** Save a state that the next attempt goes on from */
    checkpoint: ["POST", "/sdk/v1/runs/{runID}/checkpoint", "body"],
    /** Say how far the run is */
    progress: ["POST", "/sdk/v1/runs/{runID}/progress", "body"],
    /** Report what the run has used and what it cost */
    usage: ["POST", "/sdk/v1/runs/{runID}/usage", "body"],
    /** Record the call of a tool */
    toolCall: ["POST", "/sdk/v1/runs/{runID}/tool-call", "body"],
    /** Record a named output */
    output: ["POST", "/sdk/v1/runs/{runID}/output", "body"],
    /** Lay tags and metadata over those of the run */
    metadata: ["POST", "/sdk/v1/runs/{runID}/metadata", "body"],
    /** End the run with its result */
    complete: ["POST", "/sdk/v1/runs/{runID}/complete", "body"],
    /** End this attempt with an error */
    fail: ["POST", "/sdk/v1/runs/{runID}/fail", "body"],
    /** Start a child run, and wait for its end if asked to */
    spawn: ["POST", "/sdk/v1/runs/{runID}/spawn", "body"],
    /** Suspend the run until an event arrives */
    waitForEvent: ["POST", "/sdk/v1/runs/{runID}/wait-for-event", "body"],
    /** Suspend the run until a time has come */
    sleep: ["POST", "/sdk/v1/runs/{runID}/sleep", "body"],
  },
  session: {
    /** Sign in to the dashboard */
    create: ["POST", "/v1/session", "body"],
    /** The session of this request */
    get: ["GET", "/v1/session", "plain"],
    /** Sign out */
    delete: ["DELETE", "/v1/session", "plain"],
  },
  system: {
    /** Get the current state of the service */
    get: ["GET", "/v1/system", "plain"],
  },
  tagPolicies: {
    /** Create a tag policy */
    create: ["POST", "/v1/tag-policies", "body"],
    /** List tag policies */
    list: ["GET", "/v1/tag-policies", "list"],
    /** Get a tag policy */
    get: ["GET", "/v1/tag-policies/{policyID}", "plain"],
    /** Update a tag policy */
    update: ["PATCH", "/v1/tag-policies/{policyID}", "body"],
    /** Delete a tag policy */
    delete: ["DELETE", "/v1/tag-policies/{policyID}", "plain"],
  },
  tokens: {
    /** Make a narrow, short-lived token for a browser */
    create: ["POST", "/v1/tokens", "body"],
  },
  topics: {
    /** Follow up to 50 topics in one stream of server-sent events */
    stream: ["GET", "/v1/stream", "stream"],
  },
  usage: {
    /** Usage of the current billing period */
    current: ["GET", "/v1/usage/current", "plain"],
    /** List the usage of billing periods, newest first */
    history: ["GET", "/v1/usage/history", "list"],
    /** Whether the caller wants the monthly usage e-mail */
    emailPreferences: ["GET", "/v1/usage/email-preferences", "plain"],
    /** Say whether the caller wants the monthly usage e-mail */
    setEmailPreferences: ["PUT", "/v1/usage/email-preferences", "body"],
  },
  webhookDeliveries: {
    /** List webhook deliveries */
    list: ["GET", "/v1/webhook-deliveries", "list"],
    /** Get a webhook delivery with its attempts */
    get: ["GET", "/v1/webhook-deliveries/{deliveryID}", "plain"],
    /** Send failed webhook deliveries again: up to a hundred by name, or by filter in the background */
    bulkRetry: ["POST", "/v1/webhook-deliveries/bulk-retry", "body"],
    /** Send a failed webhook delivery again */
    retry: ["POST", "/v1/webhook-deliveries/{deliveryID}/retry", "plain"],
  },
  webhookSubscriptions: {
    /** Subscribe to events */
    create: ["POST", "/v1/webhook-subscriptions", "body"],
    /** List webhook subscriptions */
    list: ["GET", "/v1/webhook-subscriptions", "list"],
    /** Get a webhook subscription */
    get: ["GET", "/v1/webhook-subscriptions/{webhookSubscriptionID}", "plain"],
    /** Change a webhook subscription */
    update: ["PATCH", "/v1/webhook-subscriptions/{webhookSubscriptionID}", "body"],
    /** Delete a webhook subscription */
    delete: ["DELETE", "/v1/webhook-subscriptions/{webhookSubscriptionID}", "plain"],
    /** Send a test event to a webhook subscription */
    test: ["POST", "/v1/webhook-subscriptions/{webhookSubscriptionID}/test", "plain"],
  },
  workflowPolicies: {
    /** Get what a project lets its workflows be */
    get: ["GET", "/v1/workflow-policies/{projectID}", "plain"],
    /** Set what a project lets its workflows be, or preview which workflows would violate it */
    set: ["PUT", "/v1/workflow-policies/{projectID}", "body"],
  },
  workflowRuns: {
    /** Export a workflow run whole, as a RunCapsule */
    exportCapsule: ["GET", "/v1/workflow-runs/{workflowRunID}/capsule", "plain"],
    /** Import a capsule, to look at its run and to replay it */
    importCapsule: ["POST", "/v1/workflow-runs/capsules", "body"],
    /** List imported capsules */
    capsules: ["GET", "/v1/workflow-runs/capsules", "list"],
    /** Get an imported capsule as it was exported, to the byte */
    capsule: ["GET", "/v1/workflow-runs/capsules/{capsuleID}", "plain"],
    /** Delete an imported capsule */
    deleteCapsule: ["DELETE", "/v1/workflow-runs/capsules/{capsuleID}", "plain"],
    /** Get a workflow run as a graph, with its critical path */
    graph: ["GET", "/v1/workflow-runs/{workflowRunID}/graph", "plain"],
    /** List what was decided about a workflow run and why; as text/event-stream live, as application/x-ndjson all */
    explain: ["GET", "/v1/workflow-runs/{workflowRunID}/explain", "list"],
    /** List workflow runs */
    list: ["GET", "/v1/workflow-runs", "list"],
    /** Cancel up to 100 workflow runs */
    bulkCancel: ["POST", "/v1/workflow-runs/bulk-cancel", "body"],
    /** Get a workflow run */
    get: ["GET", "/v1/workflow-runs/{workflowRunID}", "plain"],
    /** Follow a workflow run and its steps to its end, as server-sent events */
    stream: ["GET", "/v1/workflow-runs/{workflowRunID}/stream", "stream"],
    /** Cancel a workflow run and everything below it */
    cancel: ["POST", "/v1/workflow-runs/{workflowRunID}/cancel", "body"],
    /** Pause a workflow run: nothing new starts in it or below it */
    pause: ["POST", "/v1/workflow-runs/{workflowRunID}/pause", "plain"],
    /** Let a paused workflow run go on */
    resume: ["POST", "/v1/workflow-runs/{workflowRunID}/resume", "plain"],
    /** Do again what failed in a workflow run */
    retry: ["POST", "/v1/workflow-runs/{workflowRunID}/retry", "plain"],
    /** Delete what an ended workflow run and all that it started were given and gave back */
    deleteData: ["DELETE", "/v1/workflow-runs/{workflowRunID}/data", "plain"],
    /** List the steps of a workflow run */
    steps: ["GET", "/v1/workflow-runs/{workflowRunID}/steps", "list"],
    /** Get a step of a workflow run */
    step: ["GET", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}", "plain"],
    /** List the items of a map step */
    stepItems: ["GET", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/items", "list"],
    /** Do an ended step again, with what was skipped or canceled because of it */
    retryStep: ["POST", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/retry", "plain"],
    /** Do a step and all that depend on it again */
    replaySubtree: ["POST", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/replay-subtree", "plain"],
    /** Approve a step that waits for it */
    approveStep: ["POST", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/approve", "body"],
    /** Reject a step that waits for an approval: it fails */
    rejectStep: ["POST", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/reject", "body"],
    /** Skip a step: done, for those that depend on it */
    skipStep: ["POST", "/v1/workflow-runs/{workflowRunID}/steps/{stepRef}/skip", "body"],
  },
  workflows: {
    /** Create a workflow */
    create: ["POST", "/v1/workflows", "body"],
    /** List workflows */
    list: ["GET", "/v1/workflows", "list"],
    /** Get a workflow */
    get: ["GET", "/v1/workflows/{workflowID}", "plain"],
    /** Change a workflow; a change of how its runs go makes a new version */
    update: ["PATCH", "/v1/workflows/{workflowID}", "body"],
    /** Delete a workflow and its schedules; its runs stay */
    delete: ["DELETE", "/v1/workflows/{workflowID}", "plain"],
    /** Start a run of a workflow */
    trigger: ["POST", "/v1/workflows/{workflowID}/trigger", "body"],
    /** List the versions of a workflow */
    versions: ["GET", "/v1/workflows/{workflowID}/versions", "list"],
    /** Get a version of a workflow */
    version: ["GET", "/v1/workflows/{workflowID}/versions/{versionID}", "plain"],
    /** Make a stored version the one that new runs take */
    activateVersion: ["POST", "/v1/workflows/{workflowID}/versions/{versionID}/activate", "plain"],
    /** List the versions that runs in flight are on, with how many */
    activeVersions: ["GET", "/v1/workflows/{workflowID}/active-versions", "list"],
    /** Show the order of a workflow's steps, or of others in their place; nothing is changed */
    plan: ["POST", "/v1/workflows/{workflowID}/plan", "body"],
    /** Think a run through, with a payload and assumed outcomes; nothing is started */
    simulate: ["POST", "/v1/workflows/{workflowID}/simulate", "body"],
    /** Compare two versions of a workflow */
    diffVersions: ["GET", "/v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}", "plain"],
    /** Count how many of the newest runs are on a version */
    versionImpact: ["GET", "/v1/workflows/{workflowID}/versions/{versionID}/impact", "plain"],
    /** Begin a canary: a share of new runs takes another version */
    createCanary: ["POST", "/v1/workflows/{workflowID}/canary", "body"],
    /** Get the active canary, or the last one, with a comparison of both versions */
    canary: ["GET", "/v1/workflows/{workflowID}/canary", "plain"],
    /** Change the share of the active canary, or how it goes on by itself */
    updateCanary: ["PATCH", "/v1/workflows/{workflowID}/canary", "body"],
    /** Make the canary's target the current version */
    promoteCanary: ["POST", "/v1/workflows/{workflowID}/canary/promote", "plain"],
    /** End the canary; its source stays the current version */
    rollbackCanary: ["POST", "/v1/workflows/{workflowID}/canary/rollback", "plain"],
    /** Bring runs in flight to another version, or tell what would become of them */
    migrateRuns: ["POST", "/v1/workflows/{workflowID}/migrate-runs", "body"],
    /** Take ended runs through a candidate version, without dispatching anything */
    shadow: ["POST", "/v1/workflows/{workflowID}/shadow", "body"],
  },
} as const;

// biome-ignore-all lint/performance/noBarrelFile: the package's public entry point

export type { CallInput } from "./client/call.ts";
export { type Client, createClient } from "./client/create-client.ts";
export type { ClientCore, RawResponse } from "./client/create-core.ts";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  EventConflictError,
  type FieldError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  ServerError,
  ValidationError,
} from "./client/http/api-error.ts";
export type { ClientOptions } from "./client/http/connection.ts";
export type { Page } from "./client/http/paginate.ts";
export type { StreamEvent } from "./client/http/parse-events.ts";
export type { Method, QueryValue, RequestOptions } from "./client/http/send.ts";
export type { StreamOptions } from "./client/http/stream.ts";
export type { Limits } from "./client/limits.ts";
export type { Listing } from "./client/listing.ts";
export type {
  EventsClient,
  JobsClient,
  RunsClient,
  WorkflowRunsClient,
  WorkflowsClient,
} from "./client/noun-clients.ts";
export { type FailedStatus, type RunEnd, RunFailedError } from "./client/run-end.ts";
export type { CancelOptions, RunEvent, RunHandle } from "./client/run-handle.ts";
export type { SendOptions } from "./client/send-event.ts";
export type { BatchItem, BatchItemResult, BatchOptions, BatchResult } from "./client/trigger-batch.ts";
export type { TriggerOptions } from "./client/trigger-job.ts";
export type { TriggerWorkflowOptions } from "./client/trigger-workflow.ts";
export type { CallOptions, Operation } from "./client/verbs.ts";
export type { WorkflowRunEnd, WorkflowRunHandle } from "./client/workflow-run-handle.ts";
export { defineConfig, type EnvRef, fromEnv, type ProjectConfiguration } from "./config.ts";
export { defineEvent, type EventDefinition, type EventRef } from "./define-event.ts";
export { type AnyJob, defineJob, type Job, type JobInput, type JobOutput, type JobSettings } from "./define-job.ts";
export type { Duration } from "./duration.ts";
export { MillraceError, NetworkError, SignatureError, type SignatureErrorReason, TimeoutError } from "./errors.ts";
export type { Endpoints } from "./generated/endpoints.ts";
/**
 * Every object of the API, by its name in the reference.
 *
 * @example
 * const body: schemas.CreateJob = { name: "Mail", endpoint_url: "https://example.com/mail" };
 * const job: schemas.Job = await client.jobs.create(body);
 */
export type * as schemas from "./generated/schemas.ts";
export {
  CanceledError,
  isSuspend,
  NonRetryableError,
  RetryAfterError,
  SuspendSwallowedError,
} from "./job-errors.ts";
export type { EventTrigger, Run, StepRun, WorkflowRun } from "./objects.ts";
export { createHandler } from "./serve/create-handler.ts";
export type { Manifest } from "./serve/manifest.ts";
export type { AttemptCall, Middleware, StepCall } from "./serve/middleware.ts";
export type { ServeResponse } from "./serve/report-failure.ts";
export type { Logger, RunContext, RunInfo, SpawnOptions, Usage, WaitOptions } from "./serve/run-context.ts";
export type { ServeOptions, ServeRequest } from "./serve/serve-options.ts";
export { SchemaError, type StandardSchema } from "./standard-schema.ts";
export { applyManifest, type Delivery, readManifest, type SyncedItem, type SyncOptions, sync } from "./sync.ts";
export { verifyWebhook, type WebhookEvent } from "./webhooks.ts";
export { createWorker } from "./worker/create-worker.ts";
export type { StopOptions, Worker, WorkerOptions } from "./worker/worker-options.ts";
export type { JobStepOptions, MapStepOptions, WorkflowBuilder } from "./workflow/builder-types.ts";
export { defineWorkflow } from "./workflow/define-workflow.ts";
export type {
  AnyWorkflow,
  ApprovalOutput,
  StepOptions,
  Workflow,
  WorkflowInput,
  WorkflowOutputs,
  WorkflowSettings,
} from "./workflow/workflow-types.ts";

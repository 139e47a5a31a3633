import { EventTrigger } from "@millrace/contract/events";
import { Run } from "@millrace/contract/runs";
import {
  SdkCheckpointBody,
  SdkLogBody,
  SdkLogged,
  SdkMetadata,
  SdkMetadataBody,
  SdkOutputBody,
  SdkProgress,
  SdkProgressBody,
  SdkRecord,
  SdkToolCallBody,
  SdkUsage,
  SdkUsageBody,
} from "@millrace/contract/sdk-records";
import {
  SdkCompleteBody,
  SdkEnded,
  SdkFailBody,
  SdkHeartbeat,
  SdkHeartbeatBody,
  SdkRun,
  SdkSleepBody,
  SdkSpawnBody,
  SdkWaitBody,
} from "@millrace/contract/sdk-runs";
import { heartbeatRun, reportMetadata, reportProgress } from "../../flow/runs/settle/own-reports.ts";
import { type Route, runRoute } from "../../platform/route.ts";
import { appendLogs } from "./append-logs.ts";
import { completeRun } from "./complete-run.ts";
import { failRun } from "./fail-run.ts";
import { getSdkRun } from "./get-sdk-run.ts";
import { recordOutput } from "./record-output.ts";
import { recordToolCall } from "./record-tool-call.ts";
import { recordUsage } from "./record-usage.ts";
import { saveCheckpoint } from "./save-checkpoint.ts";
import { sleep } from "./sleep.ts";
import { spawnChild } from "./spawn-child.ts";
import { waitForEvent } from "./wait-for-event.ts";

export const sdkRunRoutes: Route[] = [
  runRoute({
    method: "GET",
    path: "/sdk/v1/runs/{runID}",
    summary: "Get the job's own run",
    response: SdkRun,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx) => getSdkRun(ctx),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/heartbeat",
    summary: "Send a heartbeat; the response says whether to stop",
    body: SdkHeartbeatBody,
    response: SdkHeartbeat,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx) => heartbeatRun(ctx),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/log",
    summary: "Append one or more log lines",
    body: SdkLogBody,
    response: SdkLogged,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => appendLogs(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/checkpoint",
    summary: "Save a checkpoint from which the next attempt resumes",
    body: SdkCheckpointBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => saveCheckpoint(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/progress",
    summary: "Report the progress of the run",
    body: SdkProgressBody,
    response: SdkProgress,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => reportProgress(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/usage",
    summary: "Report usage and cost of the run",
    body: SdkUsageBody,
    response: SdkUsage,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordUsage(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/tool-call",
    summary: "Record a tool call",
    body: SdkToolCallBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordToolCall(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/output",
    summary: "Record a named output",
    body: SdkOutputBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordOutput(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/metadata",
    summary: "Merge tags and metadata into those of the run",
    body: SdkMetadataBody,
    response: SdkMetadata,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => reportMetadata(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/complete",
    summary: "End the run with its result",
    body: SdkCompleteBody,
    response: SdkEnded,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => completeRun(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/fail",
    summary: "End this attempt with an error",
    body: SdkFailBody,
    response: SdkEnded,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => failRun(ctx, body),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/spawn",
    summary: "Start a child run, and optionally wait for its end",
    body: SdkSpawnBody,
    response: Run,
    otherResponses: { 200: Run },
    status: 201,
    errors: [
      "budget_exceeded",
      "conflict",
      "event_trigger_quota",
      "idempotency_conflict",
      "job_disabled",
      "payload_invalid",
      "policy_denied",
      "run_already_ended",
      "run_tree_too_large",
      "spawn_depth_exceeded",
      "stale_attempt",
    ],
    run: (ctx, { body }, reply) => spawnChild(ctx, body, reply),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/wait-for-event",
    summary: "Suspend the run until an event arrives",
    body: SdkWaitBody,
    response: EventTrigger,
    otherResponses: { 200: EventTrigger },
    status: 201,
    errors: ["event_key_in_use", "event_trigger_quota", "invalid_event_key", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }, reply) => waitForEvent(ctx, body, reply),
  }),
  runRoute({
    method: "POST",
    path: "/sdk/v1/runs/{runID}/sleep",
    summary: "Suspend the run until a given time",
    body: SdkSleepBody,
    response: EventTrigger,
    otherResponses: { 200: EventTrigger },
    status: 201,
    errors: ["event_trigger_quota", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }, reply) => sleep(ctx, body, reply),
  }),
];

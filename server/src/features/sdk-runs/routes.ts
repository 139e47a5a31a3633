import { EventTrigger } from "@millrace/contract/events/events";
import { Run } from "@millrace/contract/runs/runs";
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
} from "@millrace/contract/runs/sdk-records";
import {
  MAX_RESULT_BYTES,
  SdkCompleteBody,
  SdkEnded,
  SdkFailBody,
  SdkHeartbeat,
  SdkHeartbeatBody,
  SdkRun,
  SdkSleepBody,
  SdkSpawnBody,
  SdkWaitBody,
} from "@millrace/contract/runs/sdk-runs";
import { spawnRun } from "../../flow/runs/create/spawn-run.ts";
import { type RunRow, readRun } from "../../flow/runs/run-columns.ts";
import { appendLogs } from "../../flow/runs/settle/append-logs.ts";
import { lockLiveRun } from "../../flow/runs/settle/fence.ts";
import { recordUsage } from "../../flow/runs/settle/record-usage.ts";
import { reportEnd } from "../../flow/runs/settle/report-end.ts";
import { heartbeatRun, reportMetadata, reportProgress } from "../../flow/runs/settle/run-reports.ts";
import { readWaits } from "../../flow/waits/find-trigger.ts";
import type { RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { type Route, type RouteReply, runRoute } from "../../platform/route.ts";
import { recordToolCall } from "./record-tool-call.ts";
import { refuseLarge, saveCheckpoint } from "./save-checkpoint.ts";
import { sleep, waitForEvent } from "./wait-for-event.ts";

export const sdkRunRoutes: Route[] = [
  runRoute("GET /sdk/v1/runs/{runID}", {
    summary: "Get the job's own run",
    response: SdkRun,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx) => getSdkRun(ctx),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/heartbeat", {
    summary: "Send a heartbeat; the response says whether to stop",
    body: SdkHeartbeatBody,
    response: SdkHeartbeat,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx) => heartbeatRun(ctx),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/log", {
    summary: "Append one or more log lines",
    body: SdkLogBody,
    response: SdkLogged,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => appendLogs(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/checkpoint", {
    summary: "Save a checkpoint from which the next attempt resumes",
    body: SdkCheckpointBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => saveCheckpoint(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/progress", {
    summary: "Report the progress of the run",
    body: SdkProgressBody,
    response: SdkProgress,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => reportProgress(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/usage", {
    summary: "Report usage and cost of the run",
    body: SdkUsageBody,
    response: SdkUsage,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordUsage(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/tool-call", {
    summary: "Record a tool call",
    body: SdkToolCallBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordToolCall(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/output", {
    summary: "Record a named output",
    body: SdkOutputBody,
    response: SdkRecord,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => recordOutput(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/metadata", {
    summary: "Merge tags and metadata into those of the run",
    body: SdkMetadataBody,
    response: SdkMetadata,
    errors: ["run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => reportMetadata(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/complete", {
    summary: "End the run with its result",
    body: SdkCompleteBody,
    response: SdkEnded,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => completeRun(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/fail", {
    summary: "End this attempt with an error",
    body: SdkFailBody,
    response: SdkEnded,
    errors: ["conflict", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }) => failRun(ctx, body),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/spawn", {
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
  runRoute("POST /sdk/v1/runs/{runID}/wait-for-event", {
    summary: "Suspend the run until an event arrives",
    body: SdkWaitBody,
    response: EventTrigger,
    otherResponses: { 200: EventTrigger },
    status: 201,
    errors: ["event_key_in_use", "event_trigger_quota", "invalid_event_key", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }, reply) => waitForEvent(ctx, body, reply),
  }),
  runRoute("POST /sdk/v1/runs/{runID}/sleep", {
    summary: "Suspend the run until a given time",
    body: SdkSleepBody,
    response: EventTrigger,
    otherResponses: { 200: EventTrigger },
    status: 201,
    errors: ["event_trigger_quota", "run_already_ended", "stale_attempt"],
    run: (ctx, { body }, reply) => sleep(ctx, body, reply),
  }),
];

async function completeRun(ctx: RunCtx, { result }: SdkCompleteBody): Promise<SdkEnded> {
  const result_json = JSON.stringify(result ?? null);
  refuseLarge("body.result", result_json, MAX_RESULT_BYTES);
  return { status: await reportEnd(ctx, { kind: "completed", result_json }) };
}

/** Retried like any failed dispatch, unless the job marks the error as not retryable. */
async function failRun(ctx: RunCtx, { error, retryable, retry_after_secs }: SdkFailBody): Promise<SdkEnded> {
  const status = await reportEnd(ctx, {
    kind: "failed",
    error: { code: error.code ?? "failed", message: error.message },
    retryable: retryable ?? true,
    ...(typeof retry_after_secs === "number" && { retry_after_secs }),
  });
  return { status };
}

/** Returns the run as it was dispatched, for a job that has lost its request. Variables are not returned again. */
async function getSdkRun(ctx: RunCtx): Promise<SdkRun> {
  return inTransaction(ctx, async (tx) => {
    const { deadline } = await lockLiveRun(tx);
    const { rows } = await sql<Omit<SdkRun, "deadline" | "waits"> & { waits: number }>`
      select id, job_id, attempt, max_attempts, tries_used, payload, metadata, tags,
        coalesce(checkpoint, state) as checkpoint, state, waits
      from runs where project_id = ${tx.project_id} and id = ${tx.run_id}`.execute(tx.db);
    if (!rows[0]) throw new Error("the row of the locked run is missing");
    const waits = rows[0].waits > 0 ? JSON.parse(await readWaits(tx, tx)) : [];
    return { ...rows[0], waits, deadline };
  });
}

/** A named output in addition to the result. Repeating a name adds another output; it does not replace the first. */
async function recordOutput(ctx: RunCtx, { name, value }: SdkOutputBody): Promise<SdkRecord> {
  return inTransaction(ctx, async (tx) => {
    await lockLiveRun(tx);
    const { rows } = await sql<SdkRecord>`
      insert into run_outputs (project_id, run_id, id, attempt, name, value, created_at)
      values (${tx.project_id}, ${tx.run_id}, ${newId()}, ${tx.attempt}, ${name}, ${JSON.stringify(value)}::jsonb,
        clock())
      returning id, created_at`.execute(tx.db);
    return rows[0] as SdkRecord;
  });
}

/** 201 with the child; 200 with the existing one and a header that marks it. */
async function spawnChild(ctx: RunCtx, body: SdkSpawnBody, reply: RouteReply): Promise<RunRow> {
  const { run_id, is_new } = await spawnRun(ctx, body);
  if (!is_new) {
    reply.status(200);
    reply.header("idempotent-replayed", "true");
  }
  return (await readRun(ctx, ctx.project_id, run_id)) as RunRow;
}

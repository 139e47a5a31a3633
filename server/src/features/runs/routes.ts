import { StreamRunQuery } from "@millrace/contract/deliveries/streams";
import {
  CancelRun,
  ListChildrenQuery,
  ListHistoryQuery,
  ListRunsQuery,
  ReplayRun,
  Run,
  RunAttemptList,
  RunList,
  RunTransitionList,
  UpdateRun,
} from "@millrace/contract/runs/runs";
import { eraseRecords, eraseRun } from "../../flow/runs/maintain/erase-run.ts";
import type { RunRow } from "../../flow/runs/run-columns.ts";
import { discardRuns } from "../../flow/runs/stop/dead-letters.ts";
import { pauseRun as pauseInFlow, resumeRun as resumeInFlow } from "../../flow/runs/stop/pause-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { presentPage, presentWalk, readPage, readPageById, readWalk } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { auditRun } from "./audit-run.ts";
import { cancelRun } from "./cancel-run.ts";
import { getRun, listChildren as listRows } from "./queries.ts";
import { listAttempts as listAttemptRows, listTransitions as listTransitionRows } from "./records/history.ts";
import { replayRun } from "./replay-run.ts";
import { readConditions, resolveConditions } from "./search/run-conditions.ts";
import { searchRuns } from "./search/search-runs.ts";
import { streamRun } from "./stream-run.ts";
import { updateRun } from "./update-run.ts";

const foundBy = { table: "runs", param: "runID" } as const;

export const runRoutes: Route[] = [
  projectRoute("GET /v1/runs", {
    summary: "List runs",
    scope: "runs:read",
    query: ListRunsQuery,
    response: RunList,
    run: (ctx, { query }) => listRuns(ctx, query),
  }),
  projectRoute("GET /v1/runs/{runID}", {
    summary: "Get a run",
    scope: "runs:read",
    foundBy,
    response: Run,
    run: (ctx, { params }) => getRun(ctx, params.runID),
  }),
  projectRoute("PATCH /v1/runs/{runID}", {
    summary: "Update a run that has not started",
    scope: "runs:write",
    foundBy,
    body: UpdateRun,
    response: Run,
    errors: ["run_already_started", "run_already_ended"],
    run: (ctx, { params, body }) => updateRun(ctx, params.runID, body),
  }),
  projectRoute("POST /v1/runs/{runID}/cancel", {
    summary: "Cancel a run and the runs it spawned",
    scope: "runs:write",
    foundBy,
    body: CancelRun,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params, body }) => cancelRun(ctx, params.runID, body),
  }),
  projectRoute("POST /v1/runs/{runID}/pause", {
    summary: "Pause a run at once, or when it next returns to the queue",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params }) => pauseRun(ctx, params.runID),
  }),
  projectRoute("POST /v1/runs/{runID}/resume", {
    summary: "Resume a paused run",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params }) => resumeRun(ctx, params.runID),
  }),
  projectRoute("POST /v1/runs/{runID}/replay", {
    summary: "Replay an ended run as a new run",
    scope: "runs:write",
    foundBy,
    body: ReplayRun,
    response: Run,
    status: 201,
    errors: [
      "already_replayed",
      "belongs_to_workflow",
      "budget_exceeded",
      "conflict",
      "data_deleted",
      "job_deleted",
      "job_disabled",
      "payload_invalid",
      "run_not_ended",
    ],
    run: (ctx, { params, body }) => replayRun(ctx, params.runID, body),
  }),
  projectRoute("POST /v1/runs/{runID}/discard", {
    summary: "Remove a run from the dead-letter queue",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["not_dead_lettered"],
    run: (ctx, { params }) => discardRun(ctx, params.runID),
  }),
  projectRoute("DELETE /v1/runs/{runID}/data", {
    summary: "Delete the data of an ended run: its input, records and output",
    scope: "runs:write",
    foundBy,
    errors: ["belongs_to_workflow", "run_not_ended"],
    run: (ctx, { params }) => deleteRunData(ctx, params.runID),
  }),
  projectRoute("GET /v1/runs/{runID}/stream", {
    summary: "Stream a run and its log lines until it ends, as server-sent events",
    scope: "runs:read",
    foundBy,
    streams: true,
    query: StreamRunQuery,
    produces: "text/event-stream",
    run: (ctx, { params, query, lastEventId }) => streamRun(ctx, params.runID, lastEventId ?? query.last_event_id),
  }),
  projectRoute("GET /v1/runs/{runID}/transitions", {
    summary: "List the status transitions of a run",
    scope: "runs:read",
    foundBy,
    query: ListHistoryQuery,
    response: RunTransitionList,
    run: (ctx, { params, query }) => listTransitions(ctx, params.runID, query),
  }),
  projectRoute("GET /v1/runs/{runID}/attempts", {
    summary: "List the attempts of a run",
    scope: "runs:read",
    foundBy,
    query: ListHistoryQuery,
    response: RunAttemptList,
    run: (ctx, { params, query }) => listAttempts(ctx, params.runID, query),
  }),
  projectRoute("GET /v1/runs/{runID}/children", {
    summary: "List the runs that a run spawned",
    scope: "runs:read",
    foundBy,
    query: ListChildrenQuery,
    response: RunList,
    run: (ctx, { params, query }) => listChildren(ctx, params.runID, query),
  }),
];

async function listChildren(ctx: ProjectCtx, id: string, query: ListChildrenQuery) {
  const parent = await getRun(ctx, id);
  const page = readPageById(ctx, `runs/${parent.id}/children`, query, "r");
  return presentPage(ctx, page, await listRows(ctx, parent.id, page));
}

/** Removes a run from the dead-letter queue without a replay. */
async function discardRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id, project_id, dead_lettered_at } = await getRun(ctx, id);
  return inTransaction(ctx, async (tx) => {
    const discarded = await discardRuns(tx, project_id, [run_id]);
    if (discarded === 0) throw new ApiError("not_dead_lettered", "The run is not in the dead-letter queue.");
    await auditRun(tx, { action: "discarded", run_id, before: { dead_lettered_at } });
    return getRun(tx, run_id);
  });
}

async function pauseRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id } = await getRun(ctx, id);
  await pauseInFlow(ctx, { project_id: ctx.project_id, run_id }, (tx, { status }) =>
    auditRun(tx, { action: "paused", run_id, before: { status } }),
  );
  return getRun(ctx, run_id);
}

async function resumeRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id } = await getRun(ctx, id);
  await resumeInFlow(ctx, { project_id: ctx.project_id, run_id }, (tx, { status }) =>
    auditRun(tx, { action: "resumed", run_id, before: { status } }),
  );
  return getRun(ctx, run_id);
}

/** A history is listed oldest first by default. */
async function listAttempts(ctx: ProjectCtx, id: string, query: ListHistoryQuery) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/attempts`, { order: "asc", ...query }, "a");
  return presentPage(ctx, page, await listAttemptRows(ctx, run.id, page));
}

/** A history is listed oldest first by default. */
async function listTransitions(ctx: ProjectCtx, id: string, query: ListHistoryQuery) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/transitions`, { order: "asc", ...query }, "t");
  return presentPage(ctx, page, await listTransitionRows(ctx, run.id, page));
}

async function listRuns(ctx: ProjectCtx, query: ListRunsQuery) {
  const walk = readWalk(ctx, "runs", query, "r");
  const conditions = await resolveConditions(ctx, readConditions(query));
  const { rows, stopped_at } = await searchRuns(ctx, conditions, walk, walk.limit + 1);
  return presentWalk(ctx, walk, rows, stopped_at);
}

/** The run stays, with its times, statuses and costs. Idempotent: repeating it completes an interrupted deletion. */
async function deleteRunData(ctx: ProjectCtx, id: string): Promise<undefined> {
  const { id: run_id, project_id, status, workflow_run_id } = await getRun(ctx, id);
  if (workflow_run_id !== null) {
    throw new ApiError(
      "belongs_to_workflow",
      `Other steps also contain its data. Delete the data of the workflow run ${workflow_run_id}.`,
    );
  }
  await inTransaction(ctx, async (tx) => {
    if (!(await eraseRun(tx, { project_id, run_id })))
      throw new ApiError("run_not_ended", `The run has not ended: its status is ${status}.`);
    await auditRun(tx, { action: "data_deleted", run_id });
  });
  await eraseRecords(ctx, { project_id, run_id });
}

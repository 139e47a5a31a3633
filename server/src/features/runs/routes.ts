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
} from "@millrace/contract/runs";
import { StreamRunQuery } from "@millrace/contract/streams";
import { projectRoute, type Route } from "../../platform/route.ts";
import { cancelRun } from "./cancel-run.ts";
import { deleteRunData } from "./delete-run-data.ts";
import { discardRun } from "./discard-run.ts";
import { getRun } from "./get-run.ts";
import { listChildren } from "./list-children.ts";
import { listRuns } from "./list-runs.ts";
import { pauseRun } from "./pause-run.ts";
import { listAttempts } from "./records/list-attempts.ts";
import { listTransitions } from "./records/list-transitions.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { streamRun } from "./stream-run.ts";
import { updateRun } from "./update-run.ts";

const foundBy = { table: "runs", param: "runID" } as const;

export const runRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/runs",
    summary: "List runs",
    scope: "runs:read",
    query: ListRunsQuery,
    response: RunList,
    run: (ctx, { query }) => listRuns(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}",
    summary: "Get a run",
    scope: "runs:read",
    foundBy,
    response: Run,
    run: (ctx, { params }) => getRun(ctx, params.runID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/runs/{runID}",
    summary: "Update a run that has not started",
    scope: "runs:write",
    foundBy,
    body: UpdateRun,
    response: Run,
    errors: ["run_already_started", "run_already_ended"],
    run: (ctx, { params, body }) => updateRun(ctx, params.runID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/{runID}/cancel",
    summary: "Cancel a run and the runs it spawned",
    scope: "runs:write",
    foundBy,
    body: CancelRun,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params, body }) => cancelRun(ctx, params.runID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/{runID}/pause",
    summary: "Pause a run at once, or when it next returns to the queue",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params }) => pauseRun(ctx, params.runID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/{runID}/resume",
    summary: "Resume a paused run",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["run_already_ended"],
    run: (ctx, { params }) => resumeRun(ctx, params.runID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/runs/{runID}/replay",
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
  projectRoute({
    method: "POST",
    path: "/v1/runs/{runID}/discard",
    summary: "Remove a run from the dead-letter queue",
    scope: "runs:write",
    foundBy,
    response: Run,
    errors: ["not_dead_lettered"],
    run: (ctx, { params }) => discardRun(ctx, params.runID),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/runs/{runID}/data",
    summary: "Delete the data of an ended run: its input, records and output",
    scope: "runs:write",
    foundBy,
    errors: ["belongs_to_workflow", "run_not_ended"],
    run: (ctx, { params }) => deleteRunData(ctx, params.runID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/stream",
    summary: "Stream a run and its log lines until it ends, as server-sent events",
    scope: "runs:read",
    foundBy,
    streams: true,
    query: StreamRunQuery,
    produces: "text/event-stream",
    run: (ctx, { params, query, lastEventId }) => streamRun(ctx, params.runID, lastEventId ?? query.last_event_id),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/transitions",
    summary: "List the status transitions of a run",
    scope: "runs:read",
    foundBy,
    query: ListHistoryQuery,
    response: RunTransitionList,
    run: (ctx, { params, query }) => listTransitions(ctx, params.runID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/attempts",
    summary: "List the attempts of a run",
    scope: "runs:read",
    foundBy,
    query: ListHistoryQuery,
    response: RunAttemptList,
    run: (ctx, { params, query }) => listAttempts(ctx, params.runID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/children",
    summary: "List the runs that a run spawned",
    scope: "runs:read",
    foundBy,
    query: ListChildrenQuery,
    response: RunList,
    run: (ctx, { params, query }) => listChildren(ctx, params.runID, query),
  }),
];

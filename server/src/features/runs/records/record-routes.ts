import {
  ListRunLogsQuery,
  ListRunRecordsQuery,
  RunCheckpointList,
  RunLogList,
  RunOutputList,
  RunToolCallList,
  RunUsageList,
} from "@millrace/contract/run-records";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { listRecords } from "./list-records.ts";
import { listCheckpoints, listOutputs, listRunLogs, listToolCalls, listUsage } from "./record-queries.ts";

const foundBy = { table: "runs", param: "runID" } as const;

/** Routes for the records that runs report. */
export const runRecordRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/logs",
    summary: "List the log lines of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunLogsQuery,
    response: RunLogList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "logs", read: listRunLogs, query }),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/checkpoints",
    summary: "List the checkpoints of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunCheckpointList,
    run: (ctx, { params, query }) =>
      listRecords(ctx, params.runID, { name: "checkpoints", read: listCheckpoints, query }),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/usage",
    summary: "List the usage records of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunUsageList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "usage", read: listUsage, query }),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/tool-calls",
    summary: "List the tool calls of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunToolCallList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "tool-calls", read: listToolCalls, query }),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/outputs",
    summary: "List the named outputs of a run",
    scope: "runs:read",
    foundBy,
    query: ListRunRecordsQuery,
    response: RunOutputList,
    run: (ctx, { params, query }) => listRecords(ctx, params.runID, { name: "outputs", read: listOutputs, query }),
  }),
];

import {
  ListRunLogsQuery,
  ListRunRecordsQuery,
  RunCheckpointList,
  RunLogList,
  RunOutputList,
  RunToolCallList,
  RunUsageList,
} from "@millrace/contract/run-records";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Page, presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getRun } from "../get-run.ts";
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

/** One kind of record that runs report. */
type Kind<T> = {
  name: string;
  read: (ctx: ProjectCtx, of: { run_id: string; level?: string | undefined }, page: Page) => Promise<T[]>;
  query: ListRunLogsQuery;
};

/** Returns a page of a run's records, oldest first by default. */
async function listRecords<T extends { id: string; created_at: string }>(
  ctx: ProjectCtx,
  id: string,
  { name, read, query }: Kind<T>,
) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/${name}`, { order: "asc", ...query }, "t");
  return presentPage(ctx, page, await read(ctx, { run_id: run.id, level: query.level }, page));
}

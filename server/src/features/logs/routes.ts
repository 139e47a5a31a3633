import { ListLogsQuery, RunLogList } from "@millrace/contract/run-records";
import { projectRoute, type Route } from "../../platform/route.ts";
import { listLogs } from "./list-logs.ts";

export const logRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/logs",
    summary: "Search the log lines of runs",
    scope: "runs:read",
    query: ListLogsQuery,
    response: RunLogList,
    run: (ctx, { query }) => listLogs(ctx, query),
  }),
];

import { ListLogsQuery, type RunLog, RunLogList } from "@millrace/contract/runs/run-records";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPart, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { beyond, conditionsOf, findNthLine, type Position, readLines, readSpan } from "./queries.ts";

/** Lines read per page: few at first, then many, then the page ends with a cursor. */
const STEPS = [1_000, 20_000];

/**
 * The lines of all runs of a project. Filters other than time and run are checked line by line, in bounded steps: a
 * page may be short or empty and still have a cursor.
 */
async function listLogs(ctx: ProjectCtx, query: ListLogsQuery) {
  const page = readPage(ctx, "logs", query, "l");
  const span = await readSpan(ctx, query);
  if (!span) return presentPart(ctx, page, [], null);
  const conditions = conditionsOf(ctx, query);
  const order = { orderBy: page.orderBy, isAscending: query.order === "asc" };
  const rows: RunLog[] = [];
  let after = page.after;
  let stop: Position | null = null;
  for (const count of STEPS) {
    stop = await findNthLine(ctx, { ...order, span, after }, count);
    const part = { ...order, span, after, upTo: stop, conditions };
    rows.push(...(await readLines(ctx, part, page.limit + 1 - rows.length)));
    if (stop === null || rows.length > page.limit) break;
    after = beyond(stop, order.isAscending);
  }
  return presentPart(ctx, page, rows, stop);
}

export const logRoutes: Route[] = [
  projectRoute("GET /v1/logs", {
    summary: "Search the log lines of runs",
    scope: "runs:read",
    query: ListLogsQuery,
    response: RunLogList,
    run: (ctx, { query }) => listLogs(ctx, query),
  }),
];

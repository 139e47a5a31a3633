import { ListTraceQuery, type TraceSpan, TraceSpanList } from "@millrace/contract/runs/traces";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getRun } from "../queries.ts";
import { childSpans } from "./child-spans.ts";
import { phaseSpans, phases, runSpan, stepSpans } from "./phase-spans.ts";
import { readableBy } from "./readable-by.ts";
import { checkpointSpans, logSpans, toolCallSpans } from "./record-spans.ts";

export const runTraceRoutes: Route[] = [
  projectRoute("GET /v1/runs/{runID}/trace", {
    summary: "Trace a run: its attempts, waits, steps, child runs, tool calls and log lines as spans of time",
    scope: "runs:read",
    foundBy: { table: "runs", param: "runID" },
    query: ListTraceQuery,
    response: TraceSpanList,
    run: (ctx, { params, query }) => traceRun(ctx, params.runID, query),
  }),
];

const PAGE = 200;

/** A span, with the sort key of a page: the time and an id. `id` is the span's own id in the response. */
type SpanRow = Omit<TraceSpan, "$schema" | "id"> & { id: string; span_id: string };

/**
 * One page of a trace, by the time at which spans began or were recorded. Every kind of record is read up to the length
 * of a page by its own index; only the history is read whole, since an attempt ends with the transition after it.
 */
async function traceRun(ctx: ProjectCtx, id: string, query: ListTraceQuery) {
  const run = await getRun(ctx, id);
  const page = readPage(ctx, `runs/${run.id}/trace`, { limit: PAGE, order: "asc", ...query }, "s");
  const scan = { project_id: ctx.project_id, run_id: run.id, page };
  const may = await readableBy(ctx);
  const { rows } = await sql<SpanRow>`
    with ${phases(scan, may)}
    select * from (
      ${runSpan(scan, may)}
      union all ${phaseSpans(scan)}
      union all ${stepSpans(scan)}
      union all (${toolCallSpans(scan)})
      union all (${checkpointSpans(scan)})
      union all (${logSpans(scan)})
      union all (${childSpans(scan, may)})
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  const { data, ...rest } = presentPage(ctx, page, rows);
  return { data: data.map(({ span_id, ...span }) => ({ ...span, id: span_id })), ...rest };
}

import { ListTraceQuery, type TraceSpan, TraceSpanList } from "@millrace/contract/runs/traces";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getRun } from "../queries.ts";
import { phaseSpans, phases, runSpan, type Scan, stepSpans } from "./phase-spans.ts";
import { type Readable, readableBy } from "./readable-by.ts";
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

/** The runs that the run spawned and the caller may read: below the wait for them, else below their attempt. */
function childSpans({ project_id, run_id, page }: Scan, may: Readable): Sql {
  return sql`
    select * from (
      select c.created_at, c.id, c.id::text as span_id, coalesce(
          (select w.span_id from phases w where w.child_run_id = c.id limit 1),
          (select a.span_id from phases a where a.to_status = 'running' and a.created_at <= c.created_at
            order by a.ordinal desc limit 1), ${run_id}) as parent_id,
        'run' as kind, coalesce(j.name, 'Run') as name, c.status, c.created_at as started_at, c.finished_at,
        null::int as attempt, c.id as run_id, null::uuid as workflow_run_id,
        jsonb_build_object('job_id', c.job_id, 'tries_used', c.tries_used, 'error', c.error) as attributes
      from runs c left join jobs j on j.project_id = c.project_id and j.id = c.job_id and ${may.job}
      where c.project_id = ${project_id} and c.parent_run_id = ${run_id} and ${may.run}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`;
}

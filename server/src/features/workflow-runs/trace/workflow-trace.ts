import { ListTraceQuery, type TraceSpan, TraceSpanList } from "@millrace/contract/runs/traces";
import { findDeniedSteps } from "../../../flow/workflows/operate/redact-denied.ts";
import { visibleTrigger } from "../../../platform/access/policies/denied-runs.ts";
import { withAccess } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getWorkflowRun } from "../queries.ts";
import { itemResult } from "../steps/item-queries.ts";
import { compensationSpans, itemSpans, runSpan, stepSpans } from "./workflow-spans.ts";

export const workflowTraceRoutes: Route[] = [
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/trace", {
    summary: "Trace a workflow run: its steps, map items and compensations as spans of time",
    scope: "workflows:read",
    foundBy: { table: "workflow_runs", param: "workflowRunID" },
    query: ListTraceQuery,
    response: TraceSpanList,
    run: (ctx, { params, query }) => traceWorkflowRun(ctx, params.workflowRunID, query),
  }),
];

const PAGE = 200;

/** A span, with the sort key of a page: the time and an id. `id` is the span's own id in the response. */
type SpanRow = Omit<TraceSpan, "$schema"> & { span_id: string; step_ref: string | null };

/** One page of what has started. Steps in the definition's order share one time, so their ids decide. */
async function traceWorkflowRun(ctx: ProjectCtx, id: string, query: ListTraceQuery) {
  const run = await getWorkflowRun(ctx, id);
  const page = readPage(ctx, `workflow-runs/${run.id}/trace`, { limit: PAGE, order: "asc", ...query }, "s");
  const scan = { project_id: ctx.project_id, workflow_run_id: run.id, page };
  const may = {
    run: visible(await withAccess(ctx, "runs:read"), "runs", "c"),
    workflowRun: visible(ctx, "workflow_runs", "w"),
    workflow: visible(ctx, "workflows", "f"),
    trigger: await visibleTrigger(await withAccess(ctx, "events:read"), "t"),
  };
  const { rows } = await sql<SpanRow>`
    select * from (
      ${runSpan(scan, may)}
      union all ${stepSpans(scan, may)}
      union all (${itemSpans(scan, may, await itemResult(ctx))})
      union all ${compensationSpans(scan, may)}
    ) s where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  const denied = await findDeniedSteps(ctx, [run.id]);
  const redact = ({ kind, step_ref, attributes }: SpanRow) => {
    if (kind === "workflow_run") return { ...attributes, error: run.error };
    const isDenied = denied.some((each) => each.step_ref === step_ref && each.is_denied);
    return kind === "workflow_step" && isDenied ? { ...attributes, error: null } : attributes;
  };
  const { data, ...rest } = presentPage(ctx, page, rows);
  return { data: data.map((row) => present(row, redact(row))), ...rest };
}

function present({ span_id, step_ref: _, ...span }: SpanRow, attributes: TraceSpan["attributes"]) {
  return { ...span, id: span_id, attributes };
}

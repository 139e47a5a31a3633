import { ExplainQuery, WorkflowDecisionList, WorkflowGraph } from "@millrace/contract/workflows/workflow-graph";
import { redactSteps } from "../../flow/workflows/operate/redact-denied.ts";
import { criticalPath } from "../../flow/workflows/plan/critical-path.ts";
import type { WorkflowDefinition } from "../../flow/workflows/plan/definition.ts";
import { listReady } from "../../flow/workflows/plan/planner.ts";
import { readEstimates, wholeMs } from "../../flow/workflows/plan/read-estimates.ts";
import { findWorkflowVersion } from "../../flow/workflows/start/workflow-version.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { explainWorkflowRun, OTHER_FORMS } from "./decisions/explain-workflow-run.ts";
import { getWorkflowRun } from "./queries.ts";

const foundBy = { table: "workflow_runs", param: "workflowRunID" } as const;

export const workflowGraphRoutes: Route[] = [
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/graph", {
    summary: "Get a workflow run as a graph, with its critical path",
    scope: "workflows:read",
    foundBy,
    response: WorkflowGraph,
    run: (ctx, { params }) => getGraph(ctx, params.workflowRunID),
  }),
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/explain", {
    summary:
      "List the decisions about a workflow run, with reasons; live as text/event-stream, all as application/x-ndjson",
    scope: "workflows:read",
    foundBy,
    streams: true,
    query: ExplainQuery,
    response: WorkflowDecisionList,
    otherForms: OTHER_FORMS,
    run: (ctx, { params, query, accept }, reply) =>
      explainWorkflowRun(ctx, params.workflowRunID, { query, accept }, reply),
  }),
];

type Graph = Omit<WorkflowGraph, "$schema">;

/** The run is read before its steps, so that the steps of an ended run have ended, too. */
async function getGraph(ctx: ProjectCtx, id: string): Promise<Graph> {
  const run = await getWorkflowRun(ctx, id);
  const { definition } = await findWorkflowVersion(ctx, run.project_id, run.version_id);
  const steps = await redactSteps(ctx, run.id, await listGraphSteps(ctx, run.id));
  const estimates = await readEstimates(ctx, run.version_id, definition);
  const nodes = steps.map((step) => ({ ...step, estimate_ms: estimates.get(step.step_ref) ?? null }));
  const byRef = new Map(nodes.map((node) => [node.step_ref, node]));
  const hasEnded = run.finished_at !== null;
  return {
    workflow_run_id: run.id,
    workflow_id: run.workflow_id,
    version_id: run.version_id,
    version: run.version,
    status: run.status,
    phase: run.phase,
    nodes,
    edges: listEdges(definition),
    runnable: hasEnded ? [] : listReady(definition, byRef),
    critical_path: criticalPath(definition, byRef, hasEnded),
  };
}

function listEdges({ steps }: WorkflowDefinition): Graph["edges"] {
  return steps.flatMap(({ step_ref, depends_on }) => depends_on.map((from) => ({ from, to: step_ref })));
}

type GraphStep = Omit<WorkflowGraph["nodes"][number], "estimate_ms">;

async function listGraphSteps(ctx: ProjectCtx, workflow_run_id: string): Promise<GraphStep[]> {
  const { rows } = await sql<GraphStep>`
    select step_ref, type, status, generation, error, cause, cause_ref, run_id, event_trigger_id, message,
      compensation_status, compensation_run_id, compensation_error, compensated_at, started_at, finished_at,
      extract(epoch from coalesce(finished_at, clock()) - started_at)::float8 * 1000 as duration_ms
    from step_runs where project_id = ${ctx.project_id} and workflow_run_id = ${workflow_run_id}
    order by position`.execute(ctx.db);
  return rows.map((row) => ({ ...row, duration_ms: row.duration_ms === null ? null : wholeMs(row.duration_ms) }));
}

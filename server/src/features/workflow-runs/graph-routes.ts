import { ExplainQuery, WorkflowDecisionList, WorkflowGraph } from "@millrace/contract/workflow-graph";
import { projectRoute, type Route } from "../../platform/route.ts";
import { explainWorkflowRun, OTHER_FORMS } from "./decisions/explain-workflow-run.ts";
import { getGraph } from "./get-graph.ts";

const foundBy = { table: "workflow_runs", param: "workflowRunID" } as const;

export const workflowGraphRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/{workflowRunID}/graph",
    summary: "Get a workflow run as a graph, with its critical path",
    scope: "workflows:read",
    foundBy,
    response: WorkflowGraph,
    run: (ctx, { params }) => getGraph(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/{workflowRunID}/explain",
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

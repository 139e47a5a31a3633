import {
  BulkCancelWorkflowRuns,
  BulkCancelWorkflowRunsResult,
  CancelWorkflowRun,
  ListWorkflowRunsQuery,
  StoppedWorkflowRun,
  WorkflowRun,
  WorkflowRunList,
} from "@millrace/contract/workflow-runs";
import { projectRoute, type Route } from "../../platform/route.ts";
import { bulkCancel } from "./bulk-cancel.ts";
import { cancelWorkflowRun } from "./cancel-workflow-run.ts";
import { followWorkflowRun } from "./decisions/follow-workflow-run.ts";
import { deleteWorkflowRunData } from "./delete-workflow-run-data.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";
import { listWorkflowRuns } from "./list-workflow-runs.ts";
import { pauseWorkflowRun } from "./pause-workflow-run.ts";
import { resumeWorkflowRun } from "./resume-workflow-run.ts";
import { retryWorkflowRun } from "./retry-workflow-run.ts";

const foundBy = { table: "workflow_runs", param: "workflowRunID" } as const;

export const workflowRunRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs",
    summary: "List workflow runs",
    scope: "workflows:read",
    query: ListWorkflowRunsQuery,
    response: WorkflowRunList,
    run: (ctx, { query }) => listWorkflowRuns(ctx, query),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/bulk-cancel",
    summary: "Cancel up to 100 workflow runs",
    scope: "workflows:write",
    body: BulkCancelWorkflowRuns,
    response: BulkCancelWorkflowRunsResult,
    run: (ctx, { body }) => bulkCancel(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/{workflowRunID}",
    summary: "Get a workflow run",
    scope: "workflows:read",
    foundBy,
    response: WorkflowRun,
    run: (ctx, { params }) => getWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/{workflowRunID}/stream",
    summary: "Stream a workflow run and its steps until it ends, as server-sent events",
    scope: "workflows:read",
    foundBy,
    streams: true,
    produces: "text/event-stream",
    run: (ctx, { params }) => followWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/{workflowRunID}/cancel",
    summary: "Cancel a workflow run and all its descendants",
    scope: "workflows:write",
    foundBy,
    body: CancelWorkflowRun,
    response: StoppedWorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params, body }) => cancelWorkflowRun(ctx, params.workflowRunID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/{workflowRunID}/pause",
    summary: "Pause a workflow run: nothing new starts in it or its descendants",
    scope: "workflows:write",
    foundBy,
    response: StoppedWorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params }) => pauseWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/{workflowRunID}/resume",
    summary: "Resume a paused workflow run",
    scope: "workflows:write",
    foundBy,
    response: WorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params }) => resumeWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/{workflowRunID}/retry",
    summary: "Retry the failed steps of a workflow run",
    scope: "workflows:write",
    foundBy,
    response: WorkflowRun,
    errors: ["data_deleted", "nothing_to_retry", "workflow_run_compensating"],
    run: (ctx, { params }) => retryWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/workflow-runs/{workflowRunID}/data",
    summary: "Delete the data of an ended workflow run and of everything it started",
    scope: "workflows:write",
    foundBy,
    errors: ["run_not_ended"],
    run: (ctx, { params }) => deleteWorkflowRunData(ctx, params.workflowRunID),
  }),
];

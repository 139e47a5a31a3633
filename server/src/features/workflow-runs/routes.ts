import {
  BulkCancelWorkflowRuns,
  BulkCancelWorkflowRunsResult,
  CancelWorkflowRun,
  ListWorkflowRunsQuery,
  StoppedWorkflowRun,
  WorkflowRun,
  WorkflowRunList,
} from "@millrace/contract/workflow-runs";
import { leaveOutOfRuns } from "../../flow/workflows/operate/leave-out-denied.ts";
import { retryFailedSteps } from "../../flow/workflows/operate/retry-steps.ts";
import { resumeWorkflowRun as resumeInFlow } from "../../flow/workflows/stop/resume-workflow-run.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { readContained } from "../../platform/listing/read-contained.ts";
import { readSpan } from "../../platform/listing/read-span.ts";
import { presentWalk, readWalk } from "../../platform/listing/walk.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { bulkCancel } from "./bulk-cancel.ts";
import { cancelWorkflowRun } from "./cancel-workflow-run.ts";
import { followWorkflowRun } from "./decisions/follow-workflow-run.ts";
import { deleteWorkflowRunData } from "./delete-workflow-run-data.ts";
import { getWorkflowRun } from "./get-workflow-run.ts";
import { findNth, type Part, readPart } from "./list-queries.ts";
import { pauseWorkflowRun } from "./pause-workflow-run.ts";

/** How many are scanned for one page: first the nearest, then many; then the page ends with a cursor. */
const STEPS = [1_000, 20_000];

async function listWorkflowRuns(ctx: ProjectCtx, query: ListWorkflowRunsQuery) {
  const walk = readWalk(ctx, "workflow-runs", query, "w");
  const filter = readSpan(query);
  if (filter.payload_contains !== undefined) {
    filter.payload_contains = JSON.stringify(readContained("query.payload_contains", filter.payload_contains));
  }
  let part: Part = { order: walk.order, after_id: walk.after_id, filter };
  const rows: WorkflowRunRow[] = [];
  let stopped_at: string | null = null;
  for (const count of STEPS) {
    stopped_at = await findNth(ctx, part, count);
    rows.push(...(await readPart(ctx, part, stopped_at, walk.limit + 1 - rows.length)));
    if (stopped_at === null || rows.length > walk.limit) break;
    part = { ...part, after_id: stopped_at };
  }
  return presentWalk(ctx, walk, await leaveOutOfRuns(ctx, rows), stopped_at);
}

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

async function resumeWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  await resumeInFlow(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), (tx) =>
    auditWorkflowRun(tx, { action: "resumed", workflow_run_id, before: { status: "paused" } }),
  );
  return getWorkflowRun(ctx, workflow_run_id);
}

async function retryWorkflowRun(ctx: ProjectCtx, id: string): Promise<WorkflowRunRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  await retryFailedSteps(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), (tx, { status }) =>
    auditWorkflowRun(tx, { action: "retried", workflow_run_id, before: { status } }),
  );
  return getWorkflowRun(ctx, workflow_run_id);
}

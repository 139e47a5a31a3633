import {
  BulkCancelWorkflowRuns,
  BulkCancelWorkflowRunsResult,
  CancelWorkflowRun,
  type Descendants,
  ListWorkflowRunsQuery,
  StoppedWorkflowRun,
  WorkflowRun,
  WorkflowRunList,
} from "@millrace/contract/workflows/workflow-runs";
import { eraseRecords, eraseRun } from "../../flow/runs/maintain/erase-run.ts";
import { eraseWorkflowRun, listRunsOf, listWorkflowTree } from "../../flow/workflows/maintain/erase-workflow-run.ts";
import { redactRuns } from "../../flow/workflows/operate/redact-denied.ts";
import { retryFailedSteps } from "../../flow/workflows/operate/retry-steps.ts";
import { pauseWorkflowRun as pauseInFlow } from "../../flow/workflows/stop/pause-workflow-run.ts";
import { resumeWorkflowRun as resumeInFlow } from "../../flow/workflows/stop/resume-workflow-run.ts";
import type { WorkflowRunKey } from "../../flow/workflows/workflow-run-changes.ts";
import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { readContained, readSpan } from "../../platform/listing/filters.ts";
import { presentWalk, readWalk } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { auditWorkflowRun } from "./audit-workflow-run.ts";
import { bulkCancel } from "./bulk-cancel.ts";
import { cancelWorkflowRun, readDescendants, type StoppedRow } from "./cancel-workflow-run.ts";
import { followWorkflowRun } from "./decisions/follow-workflow-run.ts";
import { findNth, type Part, readPart } from "./list-queries.ts";
import { getWorkflowRun } from "./queries.ts";

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
  return presentWalk(ctx, walk, await redactRuns(ctx, rows), stopped_at);
}

const foundBy = { table: "workflow_runs", param: "workflowRunID" } as const;

export const workflowRunRoutes: Route[] = [
  projectRoute("GET /v1/workflow-runs", {
    summary: "List workflow runs",
    scope: "workflows:read",
    query: ListWorkflowRunsQuery,
    response: WorkflowRunList,
    run: (ctx, { query }) => listWorkflowRuns(ctx, query),
  }),
  projectRoute("POST /v1/workflow-runs/bulk-cancel", {
    summary: "Cancel up to 100 workflow runs",
    scope: "workflows:write",
    body: BulkCancelWorkflowRuns,
    response: BulkCancelWorkflowRunsResult,
    run: (ctx, { body }) => bulkCancel(ctx, body),
  }),
  projectRoute("GET /v1/workflow-runs/{workflowRunID}", {
    summary: "Get a workflow run",
    scope: "workflows:read",
    foundBy,
    response: WorkflowRun,
    run: (ctx, { params }) => getWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute("GET /v1/workflow-runs/{workflowRunID}/stream", {
    summary: "Stream a workflow run and its steps until it ends, as server-sent events",
    scope: "workflows:read",
    foundBy,
    streams: true,
    produces: "text/event-stream",
    run: (ctx, { params }) => followWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/cancel", {
    summary: "Cancel a workflow run and all its descendants",
    scope: "workflows:write",
    foundBy,
    body: CancelWorkflowRun,
    response: StoppedWorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params, body }) => cancelWorkflowRun(ctx, params.workflowRunID, body),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/pause", {
    summary: "Pause a workflow run: nothing new starts in it or its descendants",
    scope: "workflows:write",
    foundBy,
    response: StoppedWorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params }) => pauseWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/resume", {
    summary: "Resume a paused workflow run",
    scope: "workflows:write",
    foundBy,
    response: WorkflowRun,
    errors: ["workflow_run_ended"],
    run: (ctx, { params }) => resumeWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute("POST /v1/workflow-runs/{workflowRunID}/retry", {
    summary: "Retry the failed steps of a workflow run",
    scope: "workflows:write",
    foundBy,
    response: WorkflowRun,
    errors: ["data_deleted", "nothing_to_retry", "workflow_run_compensating"],
    run: (ctx, { params }) => retryWorkflowRun(ctx, params.workflowRunID),
  }),
  projectRoute("DELETE /v1/workflow-runs/{workflowRunID}/data", {
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

async function pauseWorkflowRun(ctx: ProjectCtx, id: string): Promise<StoppedRow> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  let descendants: Descendants | undefined;
  await pauseInFlow(ctx, { project_id, workflow_run_id }, actorOf(ctx.caller), async (tx, { status }) => {
    descendants = await readDescendants(tx, workflow_run_id);
    await auditWorkflowRun(tx, { action: "paused", workflow_run_id, before: { status }, after: { status: "paused" } });
  });
  descendants ??= await readDescendants(ctx, workflow_run_id);
  return { ...(await getWorkflowRun(ctx, workflow_run_id)), descendants };
}

const PAGE = 500;
const NO_ID = "00000000-0000-0000-0000-000000000000";

/**
 * The workflow run, its sub-workflow runs and the runs of all their steps stay, with their times, statuses and costs.
 * Idempotent: repeating it completes an interrupted deletion.
 */
async function deleteWorkflowRunData(ctx: ProjectCtx, id: string): Promise<undefined> {
  const { id: workflow_run_id, project_id } = await getWorkflowRun(ctx, id);
  const tree = await listWorkflowTree(ctx, { project_id, workflow_run_id });
  if (tree.some(({ has_ended }) => !has_ended)) throw notEnded();
  for (const { id: each } of tree) await eraseOne(ctx, { project_id, workflow_run_id: each });
}

async function eraseOne(ctx: ProjectCtx, key: WorkflowRunKey): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if (!(await eraseWorkflowRun(tx, key))) throw notEnded();
    await auditWorkflowRun(tx, { action: "data_deleted", workflow_run_id: key.workflow_run_id });
  });
  for (let after = NO_ID, left = PAGE; left === PAGE; ) {
    const runs = await listRunsOf(ctx, key, after, PAGE);
    for (const { id: run_id } of runs) await eraseRunOf(ctx, { project_id: key.project_id, run_id });
    after = runs.at(-1)?.id ?? after;
    left = runs.length;
  }
}

async function eraseRunOf(ctx: ProjectCtx, key: { project_id: string; run_id: string }): Promise<void> {
  if (!(await inTransaction(ctx, (tx) => eraseRun(tx, key)))) throw notEnded();
  await eraseRecords(ctx, key);
}

function notEnded(): ApiError {
  return new ApiError("run_not_ended", "The workflow run, or something that it started, has not ended.");
}

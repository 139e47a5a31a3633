import { TriggerQuery } from "@millrace/contract/triggers";
import { WorkflowRun } from "@millrace/contract/workflow-runs";
import {
  CreateWorkflow,
  ListWorkflowsQuery,
  ListWorkflowVersionsQuery,
  TriggerWorkflow,
  UpdateWorkflow,
  Workflow,
  WorkflowList,
  WorkflowVersion,
  WorkflowVersionList,
} from "@millrace/contract/workflows";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createWorkflow } from "./create-workflow.ts";
import { deleteWorkflow } from "./delete-workflow.ts";
import { getWorkflow } from "./get-workflow.ts";
import { listWorkflows as listRows } from "./queries.ts";
import { triggerWorkflow } from "./trigger/trigger-workflow.ts";
import { updateWorkflow } from "./update-workflow.ts";
import { changeSemanticValidation, newWorkflowSemanticValidation } from "./validate/semantic-validation.ts";
import { getWorkflowVersion } from "./versions/get-workflow-version.ts";
import { listVersions } from "./versions/version-queries.ts";

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const workflowRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/workflows",
    summary: "Create a workflow",
    scope: "workflows:write",
    body: CreateWorkflow,
    semanticValidation: newWorkflowSemanticValidation,
    response: Workflow,
    status: 201,
    errors: ["policy_violated", "slug_taken"],
    run: (ctx, { body }) => createWorkflow(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows",
    summary: "List workflows",
    scope: "workflows:read",
    query: ListWorkflowsQuery,
    response: WorkflowList,
    run: (ctx, { query }) => listWorkflows(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}",
    summary: "Get a workflow",
    scope: "workflows:read",
    foundBy,
    response: Workflow,
    run: (ctx, { params }) => getWorkflow(ctx, params.workflowID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/workflows/{workflowID}",
    summary: "Update a workflow; a change of run behavior creates a new version",
    scope: "workflows:write",
    foundBy,
    body: UpdateWorkflow,
    semanticValidation: changeSemanticValidation,
    response: Workflow,
    errors: ["canary_active", "policy_violated", "slug_taken"],
    run: (ctx, { params, body }) => updateWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/workflows/{workflowID}",
    summary: "Delete a workflow and its schedules; its runs stay",
    scope: "workflows:write",
    foundBy,
    errors: ["workflow_in_use"],
    run: (ctx, { params }) => deleteWorkflow(ctx, params.workflowID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/trigger",
    summary: "Start a run of a workflow",
    scope: "workflows:trigger",
    limit: "trigger",
    foundBy,
    query: TriggerQuery,
    body: TriggerWorkflow,
    response: WorkflowRun,
    otherResponses: { 200: WorkflowRun, 202: WorkflowRun },
    status: 201,
    takesIdempotencyKey: true,
    errors: ["budget_exceeded", "conflict", "idempotency_conflict", "payload_invalid", "workflow_disabled"],
    run: (ctx, { params, query, body, idempotencyKey }, reply) =>
      triggerWorkflow(
        ctx,
        params.workflowID,
        { ...body, ...query, ...(idempotencyKey && { header_key: idempotencyKey }) },
        reply,
      ),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/versions",
    summary: "List the versions of a workflow",
    scope: "workflows:read",
    foundBy,
    query: ListWorkflowVersionsQuery,
    response: WorkflowVersionList,
    run: (ctx, { params, query }) => listWorkflowVersions(ctx, params.workflowID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/versions/{versionID}",
    summary: "Get a version of a workflow",
    scope: "workflows:read",
    foundBy,
    response: WorkflowVersion,
    run: (ctx, { params }) => getWorkflowVersion(ctx, params.workflowID, params.versionID),
  }),
];

async function listWorkflows(ctx: ProjectCtx, query: ListWorkflowsQuery) {
  const page = readPage(ctx, "workflows", query, "w");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

async function listWorkflowVersions(ctx: ProjectCtx, ref: string, query: ListWorkflowVersionsQuery) {
  const { id } = await getWorkflow(ctx, ref);
  const page = readPage(ctx, `versions of ${id}`, query, "v");
  return presentPage(ctx, page, await listVersions(ctx, id, page));
}

import { TriggerQuery } from "@millrace/contract/events/triggers";
import { WorkflowRun } from "@millrace/contract/workflows/workflow-runs";
import {
  CreateWorkflow,
  CreateWorkflowQuery,
  ListWorkflowsQuery,
  ListWorkflowVersionsQuery,
  TriggerWorkflow,
  UpdateWorkflow,
  Workflow,
  WorkflowList,
  WorkflowVersion,
  WorkflowVersionList,
} from "@millrace/contract/workflows/workflows";
import { removeSchedulesOf } from "../../flow/schedules/keep-default-schedule.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { type InUse, inUseIssues } from "../../platform/errors/issues.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createWorkflow, tryToCreate } from "./create-workflow.ts";
import { listParents } from "./hold-workflows.ts";
import { getWorkflow, listWorkflows as listRows, lockWorkflowToDelete, markDeleted } from "./queries.ts";
import { isWorkflowTriggerQueueFull, triggerWorkflow } from "./trigger/trigger-workflow.ts";
import { updateWorkflow } from "./update-workflow.ts";
import { refuseBeyondKey } from "./validate/references.ts";
import { changeSemanticValidation, newWorkflowSemanticValidation } from "./validate/semantic-validation.ts";
import { getWorkflowVersion, listVersions } from "./versions/version-queries.ts";

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const workflowRoutes: Route[] = [
  projectRoute("POST /v1/workflows", {
    summary: "Create a workflow",
    scope: "workflows:write",
    query: CreateWorkflowQuery,
    body: CreateWorkflow,
    semanticValidation: newWorkflowSemanticValidation,
    response: Workflow,
    otherResponses: { 200: Workflow },
    status: 201,
    errors: ["policy_violated", "slug_taken"],
    run: (ctx, { body, query }, reply) => {
      if (!query.dry_run) return createWorkflow(ctx, body);
      reply.status(200);
      return tryToCreate(ctx, body);
    },
  }),
  projectRoute("GET /v1/workflows", {
    summary: "List workflows",
    scope: "workflows:read",
    query: ListWorkflowsQuery,
    response: WorkflowList,
    run: (ctx, { query }) => listWorkflows(ctx, query),
  }),
  projectRoute("GET /v1/workflows/{workflowID}", {
    summary: "Get a workflow",
    scope: "workflows:read",
    foundBy,
    response: Workflow,
    run: (ctx, { params }) => getWorkflow(ctx, params.workflowID),
  }),
  projectRoute("PATCH /v1/workflows/{workflowID}", {
    summary: "Update a workflow; a change of run behavior creates a new version",
    scope: "workflows:write",
    foundBy,
    body: UpdateWorkflow,
    semanticValidation: changeSemanticValidation,
    response: Workflow,
    errors: ["canary_active", "policy_violated", "slug_taken"],
    run: (ctx, { params, body }) => updateWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute("DELETE /v1/workflows/{workflowID}", {
    summary: "Delete a workflow and its schedules; its runs stay",
    scope: "workflows:write",
    foundBy,
    errors: ["workflow_in_use"],
    run: (ctx, { params }) => deleteWorkflow(ctx, params.workflowID),
  }),
  projectRoute("POST /v1/workflows/{workflowID}/trigger", {
    summary: "Start a run of a workflow",
    scope: "workflows:trigger",
    limit: "trigger",
    isHot: true,
    isOverloaded: isWorkflowTriggerQueueFull,
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
  projectRoute("GET /v1/workflows/{workflowID}/versions", {
    summary: "List the versions of a workflow",
    scope: "workflows:read",
    foundBy,
    query: ListWorkflowVersionsQuery,
    response: WorkflowVersionList,
    run: (ctx, { params, query }) => listWorkflowVersions(ctx, params.workflowID, query),
  }),
  projectRoute("GET /v1/workflows/{workflowID}/versions/{versionID}", {
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

/**
 * Deleted for every caller at once, with its schedules. Its runs finish and stay readable; the row is purged when no
 * run references it anymore.
 */
async function deleteWorkflow(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockWorkflowToDelete(tx, ref);
    if (!before) throw notFound("workflow");
    refuseBeyondKey(tx, before.environment_id);
    refuseInUse(await listParents(tx, before.id));
    await removeSchedulesOf(tx, { project_id: tx.project_id, workflow_id: before.id });
    await markDeleted(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.deleted",
      resource_type: "workflow",
      resource_id: before.id,
      before,
    });
  });
}

function refuseInUse(parents: InUse[]): void {
  if (parents.length === 0) return;
  const errors = inUseIssues(parents, "path.workflowID", ({ name }) => `the workflow "${name}" uses it in a step`);
  const by = errors.map(({ message }) => message).join("; ");
  throw new ApiError("workflow_in_use", `The workflow is in use: ${by}.`, { errors });
}

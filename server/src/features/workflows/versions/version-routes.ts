import {
  ActiveVersionList,
  ListActiveVersionsQuery,
  PlanWorkflow,
  SimulateWorkflow,
  VersionImpact,
  WorkflowDiff,
  WorkflowPlan,
  WorkflowSimulation,
} from "@millrace/contract/workflow-versions";
import { Workflow } from "@millrace/contract/workflows";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { planWorkflow } from "../plan/plan-workflow.ts";
import { simulateWorkflow } from "../plan/simulate-workflow.ts";
import { planSemanticValidation } from "../validate/semantic-validation.ts";
import { activateVersion } from "./activate-version.ts";
import { diffVersions } from "./diff-versions.ts";
import { getImpact } from "./get-impact.ts";
import { listActiveVersions } from "./list-active-versions.ts";

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const workflowVersionRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/versions/{versionID}/activate",
    summary: "Activate a stored version for new runs",
    scope: "workflows:write",
    foundBy,
    response: Workflow,
    errors: ["canary_active", "policy_violated", "same_author"],
    run: (ctx, { params }) => activateVersion(ctx, params.workflowID, params.versionID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/active-versions",
    summary: "List the versions with active runs, and how many each has",
    scope: "workflows:read",
    foundBy,
    query: ListActiveVersionsQuery,
    response: ActiveVersionList,
    run: (ctx, { params, query }) => listActiveVersions(ctx, params.workflowID, query),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/plan",
    summary: "Plan the order of a workflow's steps, or of given ones; changes nothing",
    scope: "workflows:read",
    foundBy,
    body: PlanWorkflow,
    semanticValidation: planSemanticValidation,
    response: WorkflowPlan,
    run: (ctx, { params, body }) => planWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/simulate",
    summary: "Simulate a run with a payload and assumed outcomes; starts nothing",
    scope: "workflows:read",
    foundBy,
    body: SimulateWorkflow,
    response: WorkflowSimulation,
    errors: ["payload_invalid"],
    run: (ctx, { params, body }) => simulateWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}",
    summary: "Compare two versions of a workflow",
    scope: "workflows:read",
    foundBy,
    response: WorkflowDiff,
    run: (ctx, { params }) => diffVersions(ctx, params),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/versions/{versionID}/impact",
    summary: "Count how many of the newest runs are on a version",
    scope: "workflows:read",
    foundBy,
    response: VersionImpact,
    run: (ctx, { params }) => getImpact(ctx, params.workflowID, params.versionID),
  }),
];

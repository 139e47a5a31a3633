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
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getWorkflow } from "../get-workflow.ts";
import { planWorkflow } from "../plan/plan-workflow.ts";
import { simulateWorkflow } from "../plan/simulate-workflow.ts";
import { planSemanticValidation } from "../validate/semantic-validation.ts";
import { activateVersion } from "./activate-version.ts";
import { diffVersions } from "./diff-versions.ts";
import { getWorkflowVersion } from "./get-workflow-version.ts";
import { readStepImpact } from "./step-impact-queries.ts";
import { countImpact, listActiveVersions as listRows } from "./version-queries.ts";

const MAX_SAMPLED = 1_000;
const MAX_WITH_STEPS = 200;

/** Returns how many of the newest runs that the caller may see are on the version, and the outcomes of their steps. */
async function getImpact(ctx: ProjectCtx, ref: string, version_id: string): Promise<Omit<VersionImpact, "$schema">> {
  const version = await getWorkflowVersion(ctx, ref, version_id);
  const { workflow_id, id, version: number } = version;
  const [impact, { of_runs, steps }] = await Promise.all([
    countImpact(ctx, version, MAX_SAMPLED),
    readStepImpact(ctx, version, MAX_WITH_STEPS),
  ]);
  return { workflow_id, version_id: id, version: number, ...impact, steps_of_runs: of_runs, steps };
}

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

async function listActiveVersions(ctx: ProjectCtx, ref: string, query: ListActiveVersionsQuery) {
  const { id } = await getWorkflow(ctx, ref);
  const page = readPage(ctx, `active versions of ${id}`, query, "v");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, id, page));
  return { ...rest, data: data.map(({ id: _, ...version }) => version) };
}

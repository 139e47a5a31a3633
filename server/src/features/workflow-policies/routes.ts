import {
  ChangedWorkflowPolicy,
  PutWorkflowPolicy,
  PutWorkflowPolicyQuery,
  WorkflowPolicy,
} from "@millrace/contract/workflow-policies";
import { callerRoute, type Route } from "../../platform/route.ts";
import { getPolicy } from "./get-policy.ts";
import { putPolicy } from "./put-policy.ts";

export const workflowPolicyRoutes: Route[] = [
  callerRoute({
    method: "GET",
    path: "/v1/workflow-policies/{projectID}",
    summary: "Get the workflow policy of a project",
    scope: "workflows:read",
    response: WorkflowPolicy,
    run: (ctx, { params }) => getPolicy(ctx, params.projectID),
  }),
  callerRoute({
    method: "PUT",
    path: "/v1/workflow-policies/{projectID}",
    summary: "Set the workflow policy of a project, or preview which workflows would violate it",
    scope: "workflows:write",
    query: PutWorkflowPolicyQuery,
    body: PutWorkflowPolicy,
    response: ChangedWorkflowPolicy,
    run: (ctx, { params, query, body }) => putPolicy(ctx, params.projectID, body, query),
  }),
];

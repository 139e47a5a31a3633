import { Canary, CanaryComparison, CreateCanary, UpdateCanary } from "@millrace/contract/canaries";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { createCanary } from "./create-canary.ts";
import { decideCanary } from "./decide-canary.ts";
import { getCanary } from "./get-canary.ts";
import { updateCanary } from "./update-canary.ts";

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const canaryRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/canary",
    summary: "Start a canary: a share of new runs uses another version",
    scope: "workflows:write",
    foundBy,
    body: CreateCanary,
    response: Canary,
    status: 201,
    errors: ["canary_active", "policy_violated", "same_author"],
    run: (ctx, { params, body }) => createCanary(ctx, params.workflowID, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflows/{workflowID}/canary",
    summary: "Get the active canary, or the last one, with a comparison of both versions",
    scope: "workflows:read",
    foundBy,
    response: CanaryComparison,
    run: (ctx, { params }) => getCanary(ctx, params.workflowID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/workflows/{workflowID}/canary",
    summary: "Change the share of the active canary, or its automatic promotion",
    scope: "workflows:write",
    foundBy,
    body: UpdateCanary,
    response: CanaryComparison,
    errors: ["canary_ended"],
    run: (ctx, { params, body }) => updateCanary(ctx, params.workflowID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/canary/promote",
    summary: "Promote the canary: its target becomes the current version",
    scope: "workflows:write",
    foundBy,
    response: Canary,
    errors: ["canary_ended"],
    run: (ctx, { params }) => decideCanary(ctx, params.workflowID, "promoted"),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/canary/rollback",
    summary: "Roll the canary back: its source stays the current version",
    scope: "workflows:write",
    foundBy,
    response: Canary,
    errors: ["canary_ended"],
    run: (ctx, { params }) => decideCanary(ctx, params.workflowID, "rolled_back"),
  }),
];

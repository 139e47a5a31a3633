import {
  AccessDecision,
  CheckAccess,
  CreateResourcePolicy,
  CreateTagPolicy,
  ListPoliciesQuery,
  ResourcePolicy,
  ResourcePolicyList,
  TagPolicy,
  TagPolicyList,
  UpdateResourcePolicy,
  UpdateTagPolicy,
} from "@millrace/contract/policies";
import { projectRoute, type RouteRow } from "../../platform/route.ts";
import { checkAccess } from "./check-access.ts";
import { createPolicy } from "./create-policy.ts";
import { deletePolicy } from "./delete-policy.ts";
import { getPolicy } from "./get-policy.ts";
import { listPolicies } from "./list-policies.ts";
import { updatePolicy } from "./update-policy.ts";

const foundBy = { table: "access_policies", param: "policyID" } as const;

export const policyRoutes: RouteRow[] = [
  projectRoute({
    method: "POST",
    path: "/v1/resource-policies",
    summary: "Create a resource policy",
    scope: "access:write",
    body: CreateResourcePolicy,
    answer: ResourcePolicy,
    status: 201,
    run: (ctx, { body }) => createPolicy(ctx, "resource", body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/resource-policies",
    summary: "List resource policies",
    scope: "access:read",
    query: ListPoliciesQuery,
    answer: ResourcePolicyList,
    run: (ctx, { query }) => listPolicies(ctx, "resource", query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/resource-policies/{policyID}",
    summary: "Get a resource policy",
    scope: "access:read",
    foundBy,
    answer: ResourcePolicy,
    run: (ctx, { params }) => getPolicy(ctx, "resource", params.policyID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/resource-policies/{policyID}",
    summary: "Change a resource policy",
    scope: "access:write",
    foundBy,
    body: UpdateResourcePolicy,
    answer: ResourcePolicy,
    run: (ctx, { params, body }) => updatePolicy(ctx, { kind: "resource", id: params.policyID }, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/resource-policies/{policyID}",
    summary: "Delete a resource policy",
    scope: "access:write",
    foundBy,
    run: (ctx, { params }) => deletePolicy(ctx, "resource", params.policyID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/tag-policies",
    summary: "Create a tag policy",
    scope: "access:write",
    body: CreateTagPolicy,
    answer: TagPolicy,
    status: 201,
    run: (ctx, { body }) => createPolicy(ctx, "tag", body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/tag-policies",
    summary: "List tag policies",
    scope: "access:read",
    query: ListPoliciesQuery,
    answer: TagPolicyList,
    run: (ctx, { query }) => listPolicies(ctx, "tag", query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/tag-policies/{policyID}",
    summary: "Get a tag policy",
    scope: "access:read",
    foundBy,
    answer: TagPolicy,
    run: (ctx, { params }) => getPolicy(ctx, "tag", params.policyID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/tag-policies/{policyID}",
    summary: "Change a tag policy",
    scope: "access:write",
    foundBy,
    body: UpdateTagPolicy,
    answer: TagPolicy,
    run: (ctx, { params, body }) => updatePolicy(ctx, { kind: "tag", id: params.policyID }, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/tag-policies/{policyID}",
    summary: "Delete a tag policy",
    scope: "access:write",
    foundBy,
    run: (ctx, { params }) => deletePolicy(ctx, "tag", params.policyID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/access/check",
    summary: "Ask whether somebody may do something, and why",
    scope: "access:read",
    body: CheckAccess,
    answer: AccessDecision,
    run: (ctx, { body }) => checkAccess(ctx, body),
  }),
];

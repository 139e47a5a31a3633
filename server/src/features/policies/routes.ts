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
} from "@millrace/contract/access/policies";
import { invalidatePolicies } from "../../platform/access/policies/policies.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { checkAccess } from "./check-access.ts";
import { getPolicy, presentPolicy } from "./get-policy.ts";
import { listPolicies as listRows, lockPolicy, type PolicyKind } from "./queries.ts";
import { createPolicy, refuseOwnDeny, updatePolicy } from "./write-policy.ts";

const foundBy = { table: "access_policies", param: "policyID" } as const;

export const policyRoutes: Route[] = [
  projectRoute("POST /v1/resource-policies", {
    summary: "Create a resource policy",
    scope: "access:write",
    body: CreateResourcePolicy,
    response: ResourcePolicy,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createPolicy(ctx, "resource", body),
  }),
  projectRoute("GET /v1/resource-policies", {
    summary: "List resource policies",
    scope: "access:read",
    query: ListPoliciesQuery,
    response: ResourcePolicyList,
    run: (ctx, { query }) => listPolicies(ctx, "resource", query),
  }),
  projectRoute("GET /v1/resource-policies/{policyID}", {
    summary: "Get a resource policy",
    scope: "access:read",
    foundBy,
    response: ResourcePolicy,
    run: (ctx, { params }) => getPolicy(ctx, "resource", params.policyID),
  }),
  projectRoute("PATCH /v1/resource-policies/{policyID}", {
    summary: "Update a resource policy",
    scope: "access:write",
    foundBy,
    body: UpdateResourcePolicy,
    response: ResourcePolicy,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updatePolicy(ctx, { kind: "resource", id: params.policyID }, body),
  }),
  projectRoute("DELETE /v1/resource-policies/{policyID}", {
    summary: "Delete a resource policy",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => deletePolicy(ctx, "resource", params.policyID),
  }),
  projectRoute("POST /v1/tag-policies", {
    summary: "Create a tag policy",
    scope: "access:write",
    body: CreateTagPolicy,
    response: TagPolicy,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createPolicy(ctx, "tag", body),
  }),
  projectRoute("GET /v1/tag-policies", {
    summary: "List tag policies",
    scope: "access:read",
    query: ListPoliciesQuery,
    response: TagPolicyList,
    run: (ctx, { query }) => listPolicies(ctx, "tag", query),
  }),
  projectRoute("GET /v1/tag-policies/{policyID}", {
    summary: "Get a tag policy",
    scope: "access:read",
    foundBy,
    response: TagPolicy,
    run: (ctx, { params }) => getPolicy(ctx, "tag", params.policyID),
  }),
  projectRoute("PATCH /v1/tag-policies/{policyID}", {
    summary: "Update a tag policy",
    scope: "access:write",
    foundBy,
    body: UpdateTagPolicy,
    response: TagPolicy,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updatePolicy(ctx, { kind: "tag", id: params.policyID }, body),
  }),
  projectRoute("DELETE /v1/tag-policies/{policyID}", {
    summary: "Delete a tag policy",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => deletePolicy(ctx, "tag", params.policyID),
  }),
  projectRoute("POST /v1/access/check", {
    summary: "Check whether a subject may perform an action, and why",
    scope: "access:read",
    body: CheckAccess,
    response: AccessDecision,
    run: (ctx, { body }) => checkAccess(ctx, body),
  }),
];

async function listPolicies(ctx: ProjectCtx, kind: PolicyKind, query: ListPoliciesQuery) {
  const page = readPage(ctx, `${kind}-policies`, query, "p");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, kind, page));
  return { data: data.map(presentPolicy), ...rest };
}

async function deletePolicy(ctx: ProjectCtx, kind: PolicyKind, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockPolicy(tx, kind, id);
    if (!row) throw notFound("policy");
    refuseOwnDeny(tx, row);
    await sql`delete from access_policies where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    const [resource_type, before] = [`${kind}_policy`, presentPolicy(row)];
    await recordAudit(tx, { action: `${resource_type}.deleted`, resource_type, resource_id: id, before });
  });
  invalidatePolicies(ctx);
}

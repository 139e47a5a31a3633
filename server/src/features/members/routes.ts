import {
  AssignMember,
  AssignMembers,
  ListMembersQuery,
  Member,
  MemberList,
  MemberResults,
  TransferAdmin,
} from "@millrace/contract/access/members";
import { invalidateMembers } from "../../platform/access/credentials/member-cache.ts";
import { endPersonalKeys } from "../../platform/access/credentials/personal-keys.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { compileJsonSchema } from "../../platform/json-schema/compile-json-schema.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { assignMember, createMember, refuseWiderRole } from "./assign-member.ts";
import { invitationRoutes } from "./invitations/invitation-routes.ts";
import { lockAdmins, refuseLastAdmin } from "./last-admin.ts";
import { leaveProject } from "./leave-project.ts";
import { findMember, listMembers as listRows, lockMember } from "./queries.ts";
import { memberSessionRoutes } from "./session-routes.ts";
import { transferAdmin } from "./transfer-admin.ts";

type Result = MemberResults["results"][number];

/** Each separately: an error in one does not affect the others. */
async function assignMembers(ctx: ProjectCtx, { members }: AssignMembers): Promise<MemberResults> {
  const results: Result[] = [];
  for (const [index, requested] of members.entries()) results.push(await assignOne(ctx, index, requested));
  invalidateMembers(ctx);
  return { results };
}

async function assignOne(ctx: ProjectCtx, index: number, requested: AssignMembers["members"][number]): Promise<Result> {
  const { subject } = requested;
  const at = `body.members[${index}]`;
  const failed = (error: string): Result => ({ index, subject, member_id: null, status: "failed", error });
  const issue = issueOf(requested, at);
  if (issue !== undefined) return failed(issue);
  try {
    const { member, status } = await inTransaction(ctx, (tx) => assignMember(tx, requested, at));
    return { index, subject, member_id: member.id, status, error: null };
  } catch (error) {
    if (error instanceof ApiError)
      return failed(error.message.startsWith(at) ? error.message : `${at}: ${error.message}`);
    throw error;
  }
}

const check = compileJsonSchema(AssignMember as unknown as Record<string, unknown>);

function issueOf(requested: object, at: string): string | undefined {
  if (!check.ok) throw new Error("the schema of a member does not compile");
  const [issue] = check.validate(requested);
  return issue && `${at}${issue.location}: ${issue.message}`;
}

const foundBy = { table: "members", param: "memberID" } as const;

export const memberRoutes: Route[] = [
  projectRoute("POST /v1/members", {
    summary: "Add a member, or change a member's role",
    scope: "access:write",
    body: AssignMember,
    response: Member,
    status: 201,
    otherResponses: { 200: Member },
    errors: ["grant_too_wide", "last_admin"],
    run: (ctx, { body }, reply) => createMember(ctx, body, reply),
  }),
  projectRoute("POST /v1/members/bulk", {
    summary: "Add up to 100 members or change their roles",
    scope: "access:write",
    body: AssignMembers,
    response: MemberResults,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => assignMembers(ctx, body),
  }),
  projectRoute("GET /v1/members", {
    summary: "List members",
    scope: "access:read",
    query: ListMembersQuery,
    response: MemberList,
    run: (ctx, { query }) => listMembers(ctx, query),
  }),
  projectRoute("GET /v1/members/{memberID}", {
    summary: "Get a member",
    scope: "access:read",
    foundBy,
    response: Member,
    run: (ctx, { params }) => getMember(ctx, params.memberID),
  }),
  projectRoute("DELETE /v1/members/{memberID}", {
    summary: "Remove a member",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide", "last_admin"],
    run: (ctx, { params }) => deleteMember(ctx, params.memberID),
  }),
  projectRoute("POST /v1/members/transfer", {
    summary: "Transfer the admin role to another member",
    scope: "access:write",
    body: TransferAdmin,
    response: Member,
    errors: ["forbidden", "grant_too_wide"],
    run: (ctx, { body }) => transferAdmin(ctx, body),
  }),
  projectRoute("POST /v1/members/leave", {
    summary: "Leave the project",
    scope: undefined,
    errors: ["forbidden", "conflict", "last_admin"],
    run: (ctx) => leaveProject(ctx),
  }),
  ...invitationRoutes,
  ...memberSessionRoutes,
];

async function listMembers(ctx: ProjectCtx, query: ListMembersQuery) {
  const page = readPage(ctx, "members", query, "m");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

async function getMember(ctx: ProjectCtx, id: string): Promise<Member> {
  const member = await findMember(ctx, id);
  if (!member) throw notFound("member");
  return member;
}

async function deleteMember(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const admins = await lockAdmins(tx);
    const before = await lockMember(tx, { id });
    if (!before) throw notFound("member");
    await refuseWiderRole(tx, before.role_id);
    refuseLastAdmin(tx, admins, before);
    await sql`delete from members where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "member.deleted", resource_type: "member", resource_id: id, before });
    await endPersonalKeys(tx, before);
  });
  invalidateMembers(ctx);
}

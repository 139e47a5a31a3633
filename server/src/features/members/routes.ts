import {
  AssignMember,
  AssignMembers,
  ListMembersQuery,
  Member,
  MemberList,
  MemberResults,
} from "@millrace/contract/members";
import { projectRoute, type Route } from "../../platform/route.ts";
import { assignMembers } from "./assign-members.ts";
import { createMember } from "./create-member.ts";
import { deleteMember } from "./delete-member.ts";
import { getMember } from "./get-member.ts";
import { listMembers } from "./list-members.ts";

const foundBy = { table: "members", param: "memberID" } as const;

export const memberRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/members",
    summary: "Add a member, or change a member's role",
    scope: "access:write",
    body: AssignMember,
    response: Member,
    status: 201,
    otherResponses: { 200: Member },
    errors: ["grant_too_wide"],
    run: (ctx, { body }, reply) => createMember(ctx, body, reply),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/members/bulk",
    summary: "Add up to 100 members or change their roles",
    scope: "access:write",
    body: AssignMembers,
    response: MemberResults,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => assignMembers(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/members",
    summary: "List members",
    scope: "access:read",
    query: ListMembersQuery,
    response: MemberList,
    run: (ctx, { query }) => listMembers(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/members/{memberID}",
    summary: "Get a member",
    scope: "access:read",
    foundBy,
    response: Member,
    run: (ctx, { params }) => getMember(ctx, params.memberID),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/members/{memberID}",
    summary: "Remove a member",
    scope: "access:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => deleteMember(ctx, params.memberID),
  }),
];

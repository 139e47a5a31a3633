import { findMember } from "../platform/access/member-cache.ts";
import type { Caller, CallerCtx } from "../platform/context.ts";
import { notFound } from "../platform/errors.ts";

type MemberCaller = Extract<Caller, { kind: "member" }>;

/** What somebody is in a project. Who is nothing there is not told that it exists. */
export async function asMember(ctx: CallerCtx, caller: MemberCaller, project_id: string): Promise<MemberCaller> {
  const member = await findMember(ctx, project_id, caller.subject);
  if (!member) throw notFound("project");
  const { member_id, role_ids, scopes } = member;
  // The name that was given here, not the one the token brings: approvals go by names.
  return { ...caller, name: member.name ?? caller.subject, project_id, member_id, role_ids, scopes };
}

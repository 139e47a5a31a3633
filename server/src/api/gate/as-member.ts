import { findMember } from "../../platform/access/credentials/member-cache.ts";
import type { Caller, CallerCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";

type MemberCaller = Extract<Caller, { kind: "member" }>;

/** A person's role in a project. Without a membership, the project's existence is not revealed. */
export async function asMember(ctx: CallerCtx, caller: MemberCaller, project_id: string): Promise<MemberCaller> {
  const member = await findMember(ctx, project_id, caller.subject);
  if (!member) throw notFound("project");
  const { member_id, role_ids, scopes } = member;
  // The name given in the project, not the one in the token: approvals match names.
  return { ...caller, name: member.name ?? caller.subject, project_id, member_id, role_ids, scopes };
}

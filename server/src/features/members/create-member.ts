import type { AssignMember, Member } from "@millrace/contract/members";
import { forgetMembers } from "../../platform/access/credentials/member-cache.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { RouteReply } from "../../platform/route.ts";
import { assignMember } from "./assign-member.ts";

export async function createMember(ctx: ProjectCtx, body: AssignMember, reply: RouteReply): Promise<Member> {
  const { member, status } = await inTransaction(ctx, (tx) => assignMember(tx, body));
  forgetMembers(ctx);
  if (status !== "created") reply.status(200);
  return member;
}

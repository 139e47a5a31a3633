import type { Member } from "@millrace/contract/members";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findMember } from "./queries.ts";

export async function getMember(ctx: ProjectCtx, id: string): Promise<Member> {
  const member = await findMember(ctx, id);
  if (!member) throw notFound("member");
  return member;
}

import type { Member, TransferAdmin } from "@millrace/contract/access/members";
import { ADMIN_ROLE_ID } from "@millrace/contract/access/roles";
import { invalidateMembers } from "../../platform/access/credentials/member-cache.ts";
import { requirePerson } from "../../platform/access/person.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { assignMember } from "./assign-member.ts";
import { findMember, lockMember } from "./queries.ts";

/** Makes another member an administrator and gives the caller a lower role, atomically. */
export async function transferAdmin(ctx: ProjectCtx, body: TransferAdmin): Promise<Omit<Member, "$schema">> {
  const subject = requirePerson(ctx, "Only a person can transfer the admin role.");
  const { member_id, role_id = "operator" } = body;
  const admin = await inTransaction(ctx, async (tx) => {
    const successor = await findMember(tx, member_id);
    if (!successor) throw invalid("body.member_id", "is not a member of this project", member_id);
    if (successor.subject === subject) throw invalid("body.member_id", "is the caller", member_id);
    const { member: promoted } = await assignMember(tx, { subject: successor.subject, role_id: ADMIN_ROLE_ID });
    const before = await lockAdmin(tx, subject);
    const { member: lowered } = await assignMember(tx, { subject, role_id });
    if (lowered.role_id === ADMIN_ROLE_ID)
      throw invalid("body.role_id", "must be another role: assign admin to the member to share it", role_id);
    const resource = { resource_type: "member", resource_id: promoted.id };
    const after = { subject: promoted.subject, from: subject, kept_role: lowered.role_name };
    await recordAudit(tx, { action: "member.admin_transferred", ...resource, before, after });
    return promoted;
  });
  invalidateMembers(ctx);
  return admin;
}

/** Locked, so that the caller cannot lose the role during the transfer. */
async function lockAdmin(tx: ProjectCtx & InTransaction, subject: string): Promise<Member> {
  const member = await lockMember(tx, { subject });
  if (member?.role_id === ADMIN_ROLE_ID) return member;
  throw new ApiError("forbidden", "Only a member with the admin role can transfer it.");
}

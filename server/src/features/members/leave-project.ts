import { invalidateMembers } from "../../platform/access/credentials/member-cache.ts";
import { endPersonalKeys } from "../../platform/access/credentials/personal-keys.ts";
import { requirePerson } from "../../platform/access/person.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { lockAdmins, refuseLastAdmin } from "./last-admin.ts";
import { lockMember } from "./queries.ts";

export async function leaveProject(ctx: ProjectCtx): Promise<undefined> {
  const { project_id } = ctx;
  const subject = requirePerson(ctx, "Only a person can leave a project.");
  await inTransaction(ctx, async (tx) => {
    const admins = await lockAdmins(tx);
    const before = await lockMember(tx, { subject });
    if (!before) throw notFound("member");
    if (before.by_rule)
      throw new ApiError(
        "conflict",
        "A sign-in rule makes you a member, and would add you again. Ask an administrator to remove you from the rule.",
      );
    refuseLastAdmin(tx, admins, before);
    await sql`delete from members where project_id = ${project_id} and id = ${before.id}`.execute(tx.db);
    await recordAudit(tx, { action: "member.left", resource_type: "member", resource_id: before.id, before });
    await endPersonalKeys(tx, { project_id, subject });
  });
  invalidateMembers(ctx);
}

import { sql } from "kysely";
import { forgetMembers } from "../../platform/access/credentials/member-cache.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { refuseWiderRole } from "./assign-member.ts";
import { lockMember } from "./queries.ts";

export async function deleteMember(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockMember(tx, { id });
    if (!before) throw notFound("member");
    await refuseWiderRole(tx, before.role_id);
    await sql`delete from members where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "member.deleted", resource_type: "member", resource_id: id, before });
  });
  forgetMembers(ctx);
}

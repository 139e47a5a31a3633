import type { CreateRole, Role } from "@millrace/contract/access/roles";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { checkRole, findParent } from "./check-role.ts";
import { getRole } from "./get-role.ts";
import { lockRoles } from "./queries.ts";

export async function createRole(ctx: ProjectCtx, body: CreateRole): Promise<Role> {
  const { name, description = null, permissions = [], parent_role_id: parent } = body;
  return inTransaction(ctx, async (tx) => {
    const others = await lockRoles(tx);
    const parent_role_id = parent == null ? null : findParent(parent, others);
    const role = { id: newId(), name, description, permissions, parent_role_id };
    await checkRole(tx, role, others);
    await sql`
      insert into roles (project_id, id, name, description, permissions, parent_role_id, created_by, created_by_id, created_at,
        updated_at)
      values (${ctx.project_id}, ${role.id}, ${name}, ${description}, ${permissions}, ${parent_role_id},
        ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock(), clock())`.execute(tx.db);
    const after = await getRole(tx, role.id, {});
    await recordAudit(tx, { action: "role.created", resource_type: "role", resource_id: role.id, after });
    return after;
  });
}

import { isDeepStrictEqual } from "node:util";
import type { Role, UpdateRole } from "@millrace/contract/access/roles";
import { invalidateMembers } from "../../platform/access/credentials/member-cache.ts";
import { systemRole } from "../../platform/access/policies/role-lineage.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { checkRole, findParent } from "./check-role.ts";
import { getRole, presentRole } from "./get-role.ts";
import { lockRoles } from "./queries.ts";

export async function updateRole(ctx: ProjectCtx, ref: string, body: UpdateRole): Promise<Role> {
  const updated = await inTransaction(ctx, async (tx) => {
    const roles = await lockRoles(tx);
    const row = roles.find(({ id, name }) => id === ref || name === ref);
    if (!row) throw notFound("role");
    refuseSystemRole(row.id);
    const { parent_role_id: parent, ...rest } = body;
    const role = {
      ...row,
      ...rest,
      ...(parent !== undefined && { parent_role_id: parent === null ? null : findParent(parent, roles) }),
    };
    if (isDeepStrictEqual(role, row)) return presentRole(row);
    const others = roles.filter(({ id }) => id !== role.id);
    // Checks the old version too: a caller cannot take away what it does not hold.
    for (const each of [row, role]) await checkRole(tx, each, others);
    await sql`
      update roles set name = ${role.name}, description = ${role.description}, permissions = ${role.permissions},
        parent_role_id = ${role.parent_role_id}, updated_at = clock()
      where project_id = ${ctx.project_id} and id = ${role.id}`.execute(tx.db);
    const after = await getRole(tx, role.id, {});
    const before = presentRole(row);
    await recordAudit(tx, { action: "role.updated", resource_type: "role", resource_id: role.id, before, after });
    return after;
  });
  invalidateMembers(ctx);
  return updated;
}

export function refuseSystemRole(id: string): void {
  if (systemRole(id)) throw new ApiError("conflict", "Built-in roles cannot be changed or deleted.");
}

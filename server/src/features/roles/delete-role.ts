import { sql } from "kysely";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentRole } from "./present-role.ts";
import { isInUse, lockRoles } from "./queries.ts";
import { refuseSystemRole } from "./update-role.ts";

export async function deleteRole(ctx: ProjectCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = (await lockRoles(tx)).find(({ id, name }) => id === ref || name === ref);
    if (!row) throw notFound("role");
    refuseSystemRole(row.id);
    const { members, children } = await isInUse(tx, row.id);
    if (members + children > 0) {
      throw new ApiError("conflict", `The role is in use: ${members} members have it, ${children} roles inherit it.`);
    }
    await sql`delete from roles where project_id = ${ctx.project_id} and id = ${row.id}`.execute(tx.db);
    const before = presentRole(row);
    await recordAudit(tx, { action: "role.deleted", resource_type: "role", resource_id: row.id, before });
  });
}

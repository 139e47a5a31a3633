import { sql } from "kysely";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { lockView } from "./queries.ts";

export async function deleteView(ctx: ProjectCtx, id: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "saved views are");
  await inTransaction(ctx, async (tx) => {
    const before = await lockView(tx, id);
    if (!before) throw notFound("saved view");
    await sql`delete from saved_views where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    await recordAudit(tx, { action: "saved_view.deleted", resource_type: "saved_view", resource_id: id, before });
  });
}

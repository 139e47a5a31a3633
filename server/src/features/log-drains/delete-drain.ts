import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentDrain } from "./present-drain.ts";
import { lockDrain } from "./queries.ts";

/** Unsent records are discarded. */
export async function deleteDrain(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockDrain(tx, id);
    if (!row) throw notFound("log drain");
    await sql`delete from log_drains where project_id = ${ctx.project_id} and id = ${id}`.execute(tx.db);
    const before = presentDrain(row);
    await recordAudit(tx, { action: "log_drain.deleted", resource_type: "log_drain", resource_id: id, before });
  });
}

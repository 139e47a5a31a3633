import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSource } from "./present-source.ts";
import { deleteSourceRow, lockSource } from "./queries.ts";

/** Deletes its subscriptions too; runs that it started continue. */
export async function deleteSource(ctx: ProjectCtx, ref: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "event sources are");
  await inTransaction(ctx, async (tx) => {
    const row = await lockSource(tx, ref);
    if (!row) throw notFound("event source");
    await deleteSourceRow(tx, row.id);
    const named = { resource_type: "event_source", resource_id: row.id };
    await recordAudit(tx, { action: "event_source.deleted", ...named, before: presentSource(ctx, row) });
  });
}

import { isDeepStrictEqual } from "node:util";
import type { SavedView, UpdateSavedView } from "@millrace/contract/saved-views";
import { sql } from "kysely";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { getView } from "./get-view.ts";
import { lockView } from "./queries.ts";

export async function updateView(ctx: ProjectCtx, id: string, body: UpdateSavedView): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  return inTransaction(ctx, async (tx) => {
    const before = await lockView(tx, id);
    if (!before) throw notFound("saved view");
    const changed = { ...before, ...body };
    if (isDeepStrictEqual(changed, before)) return before;
    await sql`
      update saved_views set name = ${changed.name}, query = ${JSON.stringify(changed.query)}, updated_at = clock()
      where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    const after = await getView(tx, id);
    await recordAudit(tx, {
      action: "saved_view.updated",
      resource_type: "saved_view",
      resource_id: id,
      before,
      after,
    });
    return after;
  });
}

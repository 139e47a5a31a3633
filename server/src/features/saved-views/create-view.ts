import { type CreateSavedView, MAX_SAVED_VIEWS, type SavedView } from "@millrace/contract/saved-views";
import { sql } from "kysely";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { getView } from "./get-view.ts";
import { countViews } from "./queries.ts";

export async function createView(ctx: ProjectCtx, { name, resource, query = {} }: CreateSavedView): Promise<SavedView> {
  refuseBoundKey(ctx.caller, "saved views are");
  const id = newId();
  return inTransaction(ctx, async (tx) => {
    if ((await countViews(tx)) >= MAX_SAVED_VIEWS)
      throw new ApiError("conflict", `A project has at most ${MAX_SAVED_VIEWS} saved views.`);
    await sql`
      insert into saved_views (project_id, id, name, resource, query, created_by, created_by_id, created_at,
        updated_at)
      values (${tx.project_id}, ${id}, ${name}, ${resource}, ${JSON.stringify(query)}, ${tx.caller.name}, ${actorOf(tx.caller).id}, clock(),
        clock())`.execute(tx.db);
    const after = await getView(tx, id);
    await recordAudit(tx, { action: "saved_view.created", resource_type: "saved_view", resource_id: id, after });
    return after;
  });
}

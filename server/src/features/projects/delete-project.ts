import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { lockProject, markProjectDeleted } from "./queries.ts";

/** From here on the project and everything in it return 404, and its keys 401. */
export async function deleteProject(ctx: CallerCtx, ref: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockProject(tx, ref);
    if (!before) throw notFound("project");
    await markProjectDeleted(tx, before.id);
    await recordAudit(
      { ...tx, project_id: before.id },
      { action: "project.deleted", resource_type: "project", resource_id: before.id, before },
    );
    tx.afterCommit(({ keyCache }) => keyCache.clear());
  });
}

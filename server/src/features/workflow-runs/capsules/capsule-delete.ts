import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { removeCapsule } from "./capsule-queries.ts";

export async function deleteCapsule(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await removeCapsule(tx, id);
    if (!before) throw notFound("capsule");
    await recordAudit(tx, { action: "run_capsule.deleted", resource_type: "run_capsule", resource_id: id, before });
  });
}

import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { findSource } from "../queries.ts";
import { deleteSubscriptionRow, lockSubscription } from "./subscription-queries.ts";

export async function deleteSubscription(ctx: ProjectCtx, ref: string, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const source = await findSource(tx, ref);
    if (!source) throw notFound("event source");
    const before = await lockSubscription(tx, source.id, id);
    if (!before) throw notFound("subscription");
    await deleteSubscriptionRow(tx, id);
    const named = { resource_type: "event_subscription", resource_id: id };
    await recordAudit(tx, { action: "event_subscription.deleted", ...named, before });
  });
}

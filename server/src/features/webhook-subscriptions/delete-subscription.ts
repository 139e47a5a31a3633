import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSubscription } from "./present-subscription.ts";
import { lockSubscription } from "./queries.ts";
import { deleteSubscriptionRow } from "./write-subscription.ts";

/** No more events are delivered: pending deliveries fail at their next attempt. */
export async function deleteSubscription(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockSubscription(tx, id);
    if (!row) throw notFound("webhook subscription");
    await deleteSubscriptionRow(tx, id);
    await recordAudit(tx, {
      action: "webhook_subscription.deleted",
      resource_type: "webhook_subscription",
      resource_id: id,
      before: await presentSubscription(tx, row),
    });
  });
}

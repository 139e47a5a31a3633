import type { WebhookDelivery } from "@millrace/contract/webhook-deliveries";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound, Refusal } from "../../platform/errors.ts";
import { recordAudit } from "../../platform/ledger/record-audit.ts";
import { lockDelivery, resetDelivery } from "./queries.ts";

/** Sends a delivery that was given up from the beginning: all its attempts again, the first at once. */
export async function retryDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDelivery> {
  const delivery = await inTransaction(ctx, async (tx) => {
    const before = await lockDelivery(tx, id);
    if (!before) throw notFound("webhook delivery");
    const after = await resetDelivery(tx, id);
    if (!after)
      throw new Refusal("delivery_not_failed", `The delivery is ${before.status}: only a failed one can be retried.`);
    await recordAudit(tx, {
      action: "webhook_delivery.retried",
      resource_type: "webhook_delivery",
      resource_id: id,
      before: { status: before.status, attempts: before.attempts },
      after: { status: after.status, attempts: after.attempts },
    });
    return after;
  });
  ctx.wakeup.wake("deliveries");
  return delivery;
}

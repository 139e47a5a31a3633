import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { resetFailed } from "./reset-failed.ts";

/** Resets a failed delivery: all its attempts again, the first at once. */
export async function retryDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDelivery> {
  return inTransaction(ctx, async (tx) => {
    const [reset] = await resetFailed(tx, [id]);
    if (!reset) throw notFound("webhook delivery");
    if (reset.apiError) throw reset.apiError;
    const { before, after } = reset;
    await recordAudit(tx, {
      action: "webhook_delivery.retried",
      resource_type: "webhook_delivery",
      resource_id: id,
      before: { status: before.status, attempts: before.attempts },
      after: { status: after.status, attempts: after.attempts },
    });
    wake(tx, "deliveries");
    return after;
  });
}

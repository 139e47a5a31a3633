import type { WebhookDeliveryDetail } from "@millrace/contract/webhook-deliveries";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { findDelivery, listAttempts } from "./queries.ts";

export async function getDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDeliveryDetail> {
  const delivery = await findDelivery(ctx, id);
  if (!delivery) throw notFound("webhook delivery");
  return { ...delivery, attempt_history: await listAttempts(ctx, id) };
}

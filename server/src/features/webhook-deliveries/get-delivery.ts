import type { WebhookDelivery, WebhookDeliveryDetail } from "@millrace/contract/webhook-deliveries";
import { findTarget } from "../../platform/access/find-target.ts";
import { withAccess } from "../../platform/access/policies.ts";
import { scopesToRead } from "../../platform/access/scopes-to-read.ts";
import { mayUse } from "../../platform/access/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { findDelivery, listAttempts } from "./queries.ts";

export async function getDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDeliveryDetail> {
  const delivery = await findDelivery(ctx, id);
  if (!delivery) throw notFound("webhook delivery");
  const body = (await mayReadBody(ctx, delivery)) ? delivery.body : null;
  return { ...delivery, body, attempt_history: await listAttempts(ctx, id) };
}

/** The body is a copy of its source object, so the caller needs read access to that. */
async function mayReadBody(ctx: ProjectCtx, { event_type, source_type, source_id }: WebhookDelivery): Promise<boolean> {
  for (const scope of scopesToRead([event_type])) {
    const reading = await withAccess(ctx, scope);
    const { isHeld, policies } = reading.access;
    if (isHeld && policies.length === 0) continue;
    const target = await findTarget(ctx, source_type, source_id);
    // If the object is deleted, it is unknown whether a policy would deny it.
    const isOpen = target ? mayUse(reading, target) : isHeld && !policies.some(({ effect }) => effect === "deny");
    if (!isOpen) return false;
  }
  return true;
}

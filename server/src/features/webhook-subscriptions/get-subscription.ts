import type { WebhookSubscription } from "@millrace/contract/webhook-subscriptions";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSubscription } from "./present-subscription.ts";
import { findSubscription } from "./queries.ts";

export async function getSubscription(ctx: ProjectCtx, id: string): Promise<WebhookSubscription> {
  const row = await findSubscription(ctx, id);
  if (!row) throw notFound("webhook subscription");
  return presentSubscription(ctx, row);
}

import type { WebhookSubscription } from "@millrace/contract/webhook-subscriptions";
import { redactValues } from "../../platform/audit/redact.ts";
import type { Ctx } from "../../platform/context.ts";
import { decryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";
import type { SubscriptionRow } from "./queries.ts";

/** As it is returned and written to the audit log: only the names of its headers. */
export async function presentSubscription(ctx: Ctx, row: SubscriptionRow): Promise<WebhookSubscription> {
  return { ...row, headers: redactValues(await decryptSubscriptionHeaders(ctx, row, row.headers)) };
}

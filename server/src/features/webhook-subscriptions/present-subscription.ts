import type { WebhookSubscription } from "@millrace/contract/webhook-subscriptions";
import { redactValues } from "../../platform/audit/redact.ts";
import type { Ctx } from "../../platform/context.ts";
import { openSubscriptionHeaders } from "../../platform/subscription-headers.ts";
import type { SubscriptionRow } from "./queries.ts";

/** As it is shown, and as it goes into the audit log: of headers the names alone. */
export async function presentSubscription(ctx: Ctx, row: SubscriptionRow): Promise<WebhookSubscription> {
  return { ...row, headers: redactValues(await openSubscriptionHeaders(ctx, row, row.headers)) };
}

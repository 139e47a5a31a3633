import type { WebhookTest } from "@millrace/contract/webhook-subscriptions";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import type { Sent } from "../../platform/outgoing/sent.ts";
import { sendWebhook } from "../../platform/webhooks/send-webhook.ts";
import { decryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";
import { findSubscription, type SubscriptionRow } from "./queries.ts";

const TIMEOUT_MS = 10_000;

/**
 * Sends a `webhook.test` at once, signed and with the headers of every delivery, even if the subscription is disabled.
 */
export async function testSubscription(ctx: ProjectCtx, id: string): Promise<WebhookTest> {
  const row = await findSubscription(ctx, id);
  if (!row) throw notFound("webhook subscription");
  const headers = await decryptSubscriptionHeaders(ctx, row, row.headers);
  const event = testEvent(ctx, row);
  const body = JSON.stringify(event);
  const webhook = { project_id: ctx.project_id, id: event.id, url: row.url, body, headers };
  const { sent, trace } = await sendWebhook(ctx, webhook, { timeout_ms: TIMEOUT_MS });
  return { ...outcomeOf(sent), duration_ms: sent.duration_ms, response_body: trace.response_body, sent: body };
}

function testEvent(ctx: ProjectCtx, { id: subscription_id, description, events }: SubscriptionRow) {
  const created_at = new Date(ctx.watch.nowMs()).toISOString();
  return { type: "webhook.test", id: newId(), created_at, data: { subscription_id, description, events } };
}

function outcomeOf(sent: Sent): Pick<WebhookTest, "delivered" | "status_code" | "error"> {
  if (sent.kind === "failed") return { delivered: false, status_code: null, error: sent.message };
  const delivered = sent.status >= 200 && sent.status < 300;
  return {
    delivered,
    status_code: sent.status,
    error: delivered ? null : `The receiver responded with ${sent.status}.`,
  };
}

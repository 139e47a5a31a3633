import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { sendWebhook, type WebhookTrace } from "../../platform/webhooks/send-webhook.ts";
import { decryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { type DeliveryOutcome, readOutcome } from "./read-outcome.ts";
import { sendToChannel } from "./send-to-channel.ts";

const NOT_SIGNED_SECS = 5;
const DELETED = "The subscription was deleted before the delivery was sent.";

type Limits = { timeout_ms: number; abortHandle: AbortHandle };
export type Sending = { outcome: DeliveryOutcome; trace: WebhookTrace | null };

/** Sends one signed request to the receiver and returns its outcome. Never rejects. */
export async function sendDelivery(ctx: Ctx, delivery: ClaimedDelivery, limits: Limits): Promise<Sending> {
  try {
    const { channel_id } = delivery;
    if (delivery.is_retry) ctx.metrics.webhookRetryAttempts.inc();
    if (channel_id !== null) return await sendToChannel(ctx, { ...delivery, channel_id }, limits);
    const headers = await readHeaders(ctx, delivery);
    if (!headers) {
      return { outcome: { kind: "refused", status_code: null, error: DELETED, duration_ms: 0 }, trace: null };
    }
    const { project_id, url, body } = delivery;
    const webhook = { project_id, id: delivery.event_id ?? delivery.id, url, body, headers };
    const { sent, trace } = await sendWebhook(ctx, webhook, limits);
    return { outcome: readOutcome(sent, trace.response_body), trace };
  } catch (error) {
    // The secrets could not be read. Retried with a delay, because this may last.
    ctx.log.warn({ delivery_id: delivery.id, reason: (error as Error).message }, "a delivery could not be signed");
    const outcome = { error: "The delivery could not be signed.", delay_secs: NOT_SIGNED_SECS };
    return { outcome: { kind: "aborted", ...outcome }, trace: null };
  }
}

/**
 * The current headers, so that a rotated token is used. Deliveries to a previous host of the subscription get none, since
 * the headers may contain secrets of the new host. Undefined: the subscription is deleted.
 */
async function readHeaders(
  ctx: Ctx,
  { project_id, subscription_id, url }: ClaimedDelivery,
): Promise<Record<string, string> | undefined> {
  if (subscription_id === null) return {};
  const { rows } = await sql<{ url: string; headers: Buffer | null }>`
    /* prepared */
    select url, headers from webhook_subscriptions
    where project_id = ${project_id} and id = ${subscription_id}`.execute(ctx.db);
  if (!rows[0]) return undefined;
  if (new URL(url).origin !== new URL(rows[0].url).origin) return {};
  return decryptSubscriptionHeaders(ctx, { project_id, id: subscription_id }, rows[0].headers);
}

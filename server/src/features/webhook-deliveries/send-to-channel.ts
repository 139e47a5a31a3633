import type { AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { sendMail } from "../../platform/outgoing/send-mail.ts";
import { type ChannelSettings, decryptChannelSettings } from "../../platform/webhooks/channel-settings.ts";
import { sendWebhook, type WebhookTrace } from "../../platform/webhooks/send-webhook.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { type DeliveryOutcome, readOutcome } from "./read-outcome.ts";

type Sending = { outcome: DeliveryOutcome; trace: WebhookTrace | null };
type Channel = { kind: AlertChannelKind; settings: Buffer };

const DELETED = "The alert channel was deleted before the notification was sent.";
const EARLIER = "It is sent after an earlier notification of this alert.";
const EARLIER_SECS = 15;
const TOO_MANY_REQUESTS = 429;

/** Sends a notification with the URL and the key that its channel has now. */
export async function sendToChannel(
  ctx: Ctx,
  delivery: ClaimedDelivery & { channel_id: string },
  limits: { timeout_ms: number; abortHandle: AbortHandle },
): Promise<Sending> {
  const { project_id, channel_id: id } = delivery;
  const { rows } = await sql<Channel>`
    select c.kind, c.settings from alert_channels c where c.project_id = ${project_id} and c.id = ${id}`.execute(
    ctx.db,
  );
  if (!rows[0]) return { outcome: { kind: "refused", status_code: null, error: DELETED, duration_ms: 0 }, trace: null };
  if (delivery.event_type === "alert.resolved" && (await hasEarlier(ctx, delivery)))
    return { outcome: { kind: "aborted", error: EARLIER, delay_secs: EARLIER_SECS }, trace: null };
  const settings = await decryptChannelSettings(ctx, { project_id, id }, rows[0].settings);
  if (settings.email !== undefined) return { outcome: await sendByMail(ctx, delivery, settings.email), trace: null };
  const webhook = { project_id, id: delivery.event_id ?? delivery.id, ...requestTo(rows[0].kind, settings, delivery) };
  const { sent, trace } = await sendWebhook(ctx, webhook, limits);
  const outcome = readOutcome(sent, trace.response_body);
  // Chats limit the rate: they accept it later.
  if (outcome.kind === "refused" && outcome.status_code === TOO_MANY_REQUESTS)
    return { outcome: { ...outcome, kind: "retryable" }, trace };
  return { outcome, trace };
}

/** A retried notification that arrives after the resolution would open an incident that nothing closes. */
async function hasEarlier(ctx: Ctx, { project_id, id, host, source_id, ...of }: ClaimedDelivery): Promise<boolean> {
  const { rows } = await sql`
    select 1 from webhook_deliveries d
    where d.project_id = ${project_id} and d.host = ${host} and d.status = 'pending' and d.id <> ${id}
      and d.channel_id = ${of.channel_id} and d.source_id = ${source_id} limit 1`.execute(ctx.db);
  return rows.length > 0;
}

/** The stored body has no key: PagerDuty wants it in the body, Opsgenie in a header. */
function requestTo(kind: AlertChannelKind, { url = "", key = "" }: ChannelSettings, delivery: ClaimedDelivery) {
  const { body, event_type, source_id } = delivery;
  if (kind === "pagerduty")
    return { url, headers: {}, body: JSON.stringify({ routing_key: key, ...JSON.parse(body) }) };
  if (kind !== "opsgenie") return { url, headers: {}, body };
  const isOver = event_type === "alert.resolved";
  return {
    ...{ headers: { authorization: `GenieKey ${key}` }, body },
    url: isOver ? closingUrl(url, source_id) : url,
  };
}

function closingUrl(url: string, alias: string): string {
  const closing = new URL(url);
  closing.pathname = `${closing.pathname.replace(/\/$/, "")}/${encodeURIComponent(alias)}/close`;
  closing.searchParams.set("identifierType", "alias");
  return closing.href;
}

/** The Message-ID is that of the delivery, so that a repetition after a crash is recognized. */
async function sendByMail(ctx: Ctx, { id, body }: ClaimedDelivery, to: string): Promise<DeliveryOutcome> {
  const startedAt = performance.now();
  const { subject, text } = JSON.parse(body) as { subject: string; text: string };
  const sent = await sendMail(ctx, { to, subject, text, message_id: `<${id}@millrace>` });
  const duration_ms = Math.round(performance.now() - startedAt);
  if (sent.ok) return { kind: "delivered", status_code: 200, duration_ms };
  const kind = sent.is_final ? "refused" : "retryable";
  return { kind, status_code: null, error: sent.message, duration_ms };
}

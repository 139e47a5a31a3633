import type { AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import type { Alert } from "@millrace/contract/alerts/alerts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { derivedId } from "../../../platform/derived-id.ts";
import { insertDeliveries } from "../../../platform/webhooks/insert-deliveries.ts";
import { notifySubscribers } from "../../../platform/webhooks/notify-subscribers.ts";
import type { RuleRow } from "../queries.ts";
import { type AlertEvent, channelBody, type Notice } from "./channel-body.ts";
import { HINTS } from "./describe-alert.ts";

type Channel = { id: string; kind: AlertChannelKind; target: string };

/**
 * Queues one delivery per channel and notifies subscribers, in the transaction of the decision. The id of a delivery is
 * derived from the alert and the count of its notifications, so that it exists once. Returns the ids.
 */
export async function notifyChannels(
  tx: Ctx & InTransaction,
  rule: RuleRow,
  alert: Alert,
  event: AlertEvent,
): Promise<string[]> {
  const { project_id, environment_id, id: source_id } = alert;
  const event_id = derivedId("alert", source_id, event, String(alert.notifications));
  const notice = await noticeOf(tx, rule, alert, event, event_id);
  const about = { project_id, environment_id, source_type: "alert", source_id, event_type: event, event_id };
  const channels = await (event === "alert.resolved" ? readNotified(tx, alert) : readChannels(tx, rule));
  const deliveries = channels.map((channel) => ({
    ...{ ...about, id: derivedId("delivery", channel.id, event_id), subscription_id: null, channel_id: channel.id },
    ...{ url: channel.target, body: channelBody(channel.kind, notice) },
  }));
  await insertDeliveries(tx, deliveries);
  if (event !== "alert.test") {
    await noteNotified(tx, alert, channels);
    await notifySubscribers(tx, [{ ...about, id: event_id, type: event, data: dataOf(notice) }]);
  }
  return deliveries.map(({ id }) => id);
}

async function noticeOf(
  tx: Ctx & InTransaction,
  rule: RuleRow,
  alert: Alert,
  event: AlertEvent,
  id: string,
): Promise<Notice> {
  const { rows } = await sql<{ now: string; project_name: string; project_slug: string }>`
    select clock()::timestamptz(3) as now, p.name as project_name, p.slug as project_slug from projects p
    where p.id = ${rule.project_id}`.execute(tx.db);
  const { now: created_at = "", project_name = "", project_slug = "" } = rows[0] ?? {};
  // The dashboard's page, for all environments.
  const link = tx.config.public_url === undefined ? null : `${tx.config.public_url}/p/${project_slug}/-/alerts`;
  return { id, event, created_at, project_name, alert, action: rule.runbook ?? HINTS[rule.kind], link };
}

function dataOf({ alert, action, link }: Notice): object {
  return { ...alert, action, link };
}

async function readChannels(tx: Ctx & InTransaction, rule: RuleRow): Promise<Channel[]> {
  if (rule.channel_ids.length === 0) return [];
  const { rows } = await sql<Channel>`
    select c.id, c.kind, c.target from alert_channels c
    where c.project_id = ${rule.project_id} and c.id = any(${rule.channel_ids}::uuid[]) and c.enabled
    order by c.id`.execute(tx.db);
  return rows;
}

/** Includes disabled channels and those since removed from the rule: their incidents must be closed. */
async function readNotified(tx: Ctx & InTransaction, { project_id, id }: Alert): Promise<Channel[]> {
  const { rows } = await sql<Channel>`
    select c.id, c.kind, c.target from alert_channels c
    where c.project_id = ${project_id} and c.id = any(array(
      select unnest(a.notified_channel_ids) from alerts a where a.project_id = ${project_id} and a.id = ${id}))
    order by c.id`.execute(tx.db);
  return rows;
}

async function noteNotified(tx: Ctx & InTransaction, { project_id, id }: Alert, channels: readonly Channel[]) {
  if (channels.length === 0) return;
  await sql`
    update alerts set notified_channel_ids = array(
      select distinct c.id from unnest(notified_channel_ids || ${channels.map((channel) => channel.id)}::uuid[]) as c(id))
    where project_id = ${project_id} and id = ${id}`.execute(tx.db);
}

import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type NewDelivery, queueDeliveries } from "../../../platform/webhooks/queue-deliveries.ts";
import type { TriggerRow } from "../read-trigger.ts";

/** Size of the bodies written by one statement: many triggers may have received the same large payload. */
const MAX_BYTES = 8_388_608;

/** Queues the webhooks of triggers that received their event. */
export async function notifyReceived(tx: Ctx & InTransaction, triggers: readonly TriggerRow[]): Promise<void> {
  const notified = triggers.flatMap(({ notify_url, ...trigger }) =>
    notify_url === null ? [] : [{ notify_url, trigger }],
  );
  const [first] = notified;
  if (!first) return;
  const atOnce = Math.max(1, Math.floor(MAX_BYTES / JSON.stringify(first.trigger).length));
  for (let at = 0; at < notified.length; at += atOnce) {
    await queueDeliveries(
      tx,
      notified.slice(at, at + atOnce).map(({ notify_url, trigger }) => deliveryOf(notify_url, trigger)),
    );
  }
}

function deliveryOf(url: string, trigger: Omit<TriggerRow, "notify_url"> & { generation?: unknown }): NewDelivery {
  const { generation: _, ...shown } = trigger;
  return {
    project_id: trigger.project_id,
    environment_id: trigger.environment_id,
    url,
    event_type: "event_trigger.received",
    source_type: "event_trigger",
    source_id: trigger.id,
    data: { ...shown, message: null, notify_url: url, callback_url: null },
  };
}

import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { derivedId } from "../../../platform/derived-id.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import { notifySubscribers } from "../../../platform/webhooks/notify-subscribers.ts";
import { readApprovalMessages } from "../read-approval-messages.ts";
import { findTrigger } from "../read-trigger.ts";

/** Publishes a change of a trigger to subscribers. A deleted one is not published. */
export async function publishTrigger(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id } = entry;
  const trigger = await findTrigger(tx, project_id, target_id);
  if (!trigger) return;
  const messages = await readApprovalMessages(tx, project_id, [trigger]);
  const happened = transition_id.slice(transition_id.lastIndexOf(":") + 1);
  await notifySubscribers(tx, [
    {
      project_id,
      environment_id: trigger.environment_id,
      type: `event_trigger.${happened}`,
      id: derivedId("event_trigger", trigger.id, happened),
      created_at: (happened === "created" ? trigger.created_at : trigger.finished_at) ?? trigger.updated_at,
      source_type: "event_trigger",
      source_id: trigger.id,
      data: { ...trigger, callback_url: null, message: messages.get(trigger.id) ?? null },
    },
  ]);
}

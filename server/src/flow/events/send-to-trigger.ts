import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { consumeCancelKeys } from "../waits/consume-cancel-keys.ts";
import { findTrigger, type Sender, type TriggerRow } from "../waits/find-trigger.ts";
import type { TriggerKey } from "../waits/trigger-changes.ts";
import { deliverEvent } from "./send-event.ts";

type TriggerSend = TriggerKey & Sender & { payload: unknown };

/**
 * Sends an event to one trigger and to no later one that waits for the same key, as a callback address does. A
 * repeated request with the same payload returns the trigger as it is.
 */
export function sendToTrigger(ctx: Ctx, send: TriggerSend): Promise<TriggerRow> {
  return inTransaction(ctx, (tx) => sendOnce(tx, send));
}

async function sendOnce(tx: Ctx & InTransaction, send: TriggerSend): Promise<TriggerRow> {
  const { project_id, trigger_id, payload, sent_by } = send;
  const seen = await findTrigger(tx, project_id, trigger_id);
  if (seen?.wait_kind !== "event") throw notFound("event trigger");
  const delivered = seen.status === "waiting" && (await deliverEvent(tx, seen, { payload, sent_by }));
  if (delivered) {
    const event = { project_id, event_key: seen.event_key, is_prefix: false, send_id: newId(), sent_by };
    await consumeCancelKeys(tx, event);
    return delivered;
  }
  const ended = (await findTrigger(tx, project_id, trigger_id)) ?? seen;
  if (ended.status !== "received") {
    throw new ApiError("event_trigger_ended", `The event trigger is ${ended.status}: it accepts no more events.`);
  }
  if (await hasReceived(tx, { project_id, trigger_id, payload })) return ended;
  throw new ApiError("event_already_received", "The event was already received with a different payload.");
}

async function hasReceived(tx: Ctx, { project_id, trigger_id, payload }: Omit<TriggerSend, "sent_by">) {
  const { rows } = await sql<{ is_equal: boolean | null }>`
    select payload = ${JSON.stringify(payload)}::jsonb as is_equal from event_triggers
    where project_id = ${project_id} and id = ${trigger_id}`.execute(tx.db);
  return rows[0]?.is_equal === true;
}

import type { BufferedEvent, EventTrigger, SendEvent } from "@millrace/contract/events";
import { requireEventKey } from "../../flow/waits/event-key.ts";
import { sendEvent } from "../../flow/waits/send-event.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";
import { presentTrigger } from "./present-trigger.ts";
import { senderOf } from "./sender.ts";

type Asked = SendEvent & { idempotencyKey: string | undefined };

/** Answers the trigger that received the event, now or the same before; 202 when the event is kept. */
export async function sendToKey(
  ctx: ProjectCtx,
  eventKey: string,
  { payload = null, buffer_secs, idempotencyKey }: Asked,
  reply: RouteReply,
): Promise<EventTrigger | BufferedEvent> {
  const event_key = requireEventKey(eventKey, "path.eventKey");
  const sent = await sendEvent(ctx, {
    ...senderOf(ctx),
    ...{ event_key, payload, buffer_secs, idempotency_key: idempotencyKey },
  });
  if (sent.is_replayed) reply.header("Idempotent-Replayed", "true");
  if (sent.kind !== "buffered") return presentTrigger(ctx, sent.trigger);
  reply.status(202);
  return { buffered: true, id: sent.id, expires_at: sent.expires_at };
}

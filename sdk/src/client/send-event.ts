import type { EventRef } from "../define-event.ts";
import { type Duration, durationSecs } from "../duration.ts";
import type { BufferedEvent, EventTrigger } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { ClientCore } from "./create-core.ts";

export type SendOptions = {
  /** When nobody waits for the key: how long the event is kept for the next who does. */
  buffer?: Duration | undefined;
  /** The same request answers the same for 24 hours. Made anew for each call unless said. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type SendEventFn = <Sent, Received>(
  event: EventRef<Sent, Received> | string,
  payload: Sent,
  options?: SendOptions,
) => Promise<EventTrigger | BufferedEvent>;

/** Sends an event to its key. Another payload than the one that was received throws EventConflictError. */
export function sendEventOf(core: ClientCore): SendEventFn {
  return async (event, payload, { buffer, idempotencyKey = crypto.randomUUID(), signal } = {}) => {
    const { key, schema } = typeof event === "string" ? { key: event, schema: undefined } : event;
    await checkWith(schema, payload, "payload");
    return core.request("POST", `/v1/events/${encodeURIComponent(key)}/send`, {
      body: { payload, ...(buffer && { buffer_secs: durationSecs(buffer) }) },
      idempotencyKey,
      signal,
    });
  };
}

import type { EventRef } from "../define-event.ts";
import { type Duration, durationSecs } from "../duration.ts";
import type { BufferedEvent, EventTrigger } from "../generated/schemas.ts";
import { checkWith } from "../standard-schema.ts";
import type { ClientCore } from "./create-core.ts";

/**
 * Options of `client.events.send`.
 *
 * @example
 * const options: SendOptions = { buffer: "24h" };
 * await client.events.send(approved({ id: "o-1" }), { by: "ann" }, options);
 */
export type SendOptions = {
  /** If nothing waits for the key: how long to buffer the event. */
  buffer?: Duration | undefined;
  /** Repeating the key within 24 hours returns the same result. Default: a new key per call. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type SendEventFn = <Sent, Received>(
  event: EventRef<Sent, Received> | string,
  payload: Sent,
  options?: SendOptions,
) => Promise<EventTrigger | BufferedEvent>;

/** Sends an event. Throws EventConflictError if the key has already received a different payload. */
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

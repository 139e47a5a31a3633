import type { Client } from "../client/create-client.ts";
import { MillraceError } from "../errors.ts";
import type { EventTrigger } from "../generated/schemas.ts";

/** Returns the wait for a key, or throws an error that lists the waiting keys. */
export async function expectWaiting(client: Client, event: { key: string } | string): Promise<EventTrigger> {
  const key = typeof event === "string" ? event : event.key;
  const waiting: string[] = [];
  for await (const trigger of client.paginate<EventTrigger>("/v1/events", { status: "waiting" })) {
    if (trigger.event_key === key) return trigger;
    if (trigger.wait_kind === "event") waiting.push(trigger.event_key);
  }
  const others = waiting.length === 0 ? "Nothing is waiting." : `Waiting: ${waiting.join(", ")}.`;
  throw new MillraceError("not_waiting", `Nothing waits for ${key}. ${others}`);
}

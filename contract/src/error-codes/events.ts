import type { ErrorCodeEntry } from "./entry.ts";

/** Events, waits, event sources and webhooks. */
export const EVENT_CODES = {
  invalid_event_key: {
    status: 400,
    title: "Invalid event key",
    meaning: "An event key must have 1 to 512 characters and no control characters, and must not be `.` or `..`.",
    remedy: "Use another key. In a path, percent-encode it once; `/` becomes `%2F`.",
  },
  event_key_in_use: {
    status: 409,
    title: "Event key in use",
    meaning: "Another wait already uses this key. A key can have only one wait at a time in its project.",
    remedy: "Make the key unique, for example with the id of the run, or wait until the other wait has ended.",
  },
  event_already_received: {
    status: 409,
    title: "Event already received",
    meaning:
      "The newest wait for this key has received an event with another payload, and nothing waits for the key now.",
    remedy:
      "Send the first payload again to get the trigger, or send with `buffer_secs` to keep the event for the next wait.",
  },
  event_trigger_ended: {
    status: 409,
    title: "Event trigger has ended",
    meaning: "The wait has timed out, was canceled or has received its event, so it accepts no more events.",
    remedy: "Send with `buffer_secs` to keep the event for the next wait for the key.",
  },
  delivery_not_failed: {
    status: 409,
    title: "Delivery has not failed",
    meaning: "Only a failed webhook delivery can be retried.",
    remedy: "If it is pending, wait for its next attempt. If it is delivered, nothing needs to be done.",
  },
  event_chain_too_long: {
    status: 422,
    title: "Chain of events too long",
    meaning: "Events and runs started each other in a chain of more than 50 events.",
    remedy:
      "Break the loop. For example, use a filter in the subscription that excludes events dispatched by its own runs.",
  },
  event_source_disabled: {
    status: 409,
    title: "Event source disabled",
    meaning: "The event source has `enabled: false`, so it accepts no events.",
    remedy: "Enable the event source, then send the event again.",
  },
  subscription_limit: {
    status: 409,
    title: "Too many subscriptions",
    meaning: "An event source can have at most 1,000 subscriptions.",
    remedy: "Delete some, or use another event source.",
  },
  event_trigger_quota: {
    status: 429,
    title: "Too many waiting event triggers",
    meaning: "The project has reached its maximum number of waiting event triggers. `detail` has the number.",
    remedy: "Wait until some end, cancel some, or raise `max_active_event_triggers` of the project.",
  },
  event_buffer_full: {
    status: 429,
    title: "Too many buffered events",
    meaning: "At most 100 events can be buffered for a key, and 10,000 in a project.",
    remedy: "Wait until some are received or their `buffer_secs` have passed.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

import type { ErrorCodeEntry } from "./entry.ts";

/** Events, those who wait for them, and webhooks that tell of them. */
export const EVENT_CODES = {
  invalid_event_key: {
    status: 400,
    title: "Invalid event key",
    meaning: "An event key has 1 to 512 characters, no control characters, and is neither `.` nor `..`.",
    remedy: "Send another key. In a path it is percent-encoded once; `/` is sent as `%2F`.",
  },
  event_key_in_use: {
    status: 409,
    title: "Event key in use",
    meaning: "Somebody else waits for this key already. A key has one waiter at a time in its project.",
    remedy: "Put something of the run into the key, such as its id, or wait until the other wait has ended.",
  },
  event_already_received: {
    status: 409,
    title: "Event already received",
    meaning: "The newest wait for this key has received an event with another payload, and nobody waits now.",
    remedy: "Repeat the first payload to get the trigger, or send with `buffer_secs` for the next who waits.",
  },
  event_trigger_ended: {
    status: 409,
    title: "Event trigger has ended",
    meaning: "The wait has timed out, was canceled or has received its event; it takes nothing more.",
    remedy: "Send with `buffer_secs` to keep the event for the next who waits for the key.",
  },
  delivery_not_failed: {
    status: 409,
    title: "Delivery has not failed",
    meaning: "Only a webhook delivery that was given up can be retried.",
    remedy: "Wait for its next attempt if it is pending; a delivered one needs nothing.",
  },
  event_chain_too_long: {
    status: 422,
    title: "Chain of events too long",
    meaning: "An event started a run that dispatched an event that started a run: at most 50 in a row.",
    remedy: "Break the circle: a filter of the subscription can leave out what its own runs dispatch.",
  },
  event_source_disabled: {
    status: 409,
    title: "Event source disabled",
    meaning: "The event source has `enabled: false`, so it takes no events.",
    remedy: "Enable the event source, then send the event again.",
  },
  subscription_limit: {
    status: 409,
    title: "Too many subscriptions",
    meaning: "An event source has at most 1,000 subscriptions.",
    remedy: "Delete some, or use another event source.",
  },
  event_trigger_quota: {
    status: 429,
    title: "Too many waiting event triggers",
    meaning: "The project has as many waiting event triggers as it may. `detail` says how many.",
    remedy: "Let waits end or cancel some, or raise `max_active_event_triggers` of the project.",
  },
  event_buffer_full: {
    status: 429,
    title: "Too many buffered events",
    meaning: "At most 100 events are buffered for a key, and 10,000 in a project.",
    remedy: "Wait until they are taken or their `buffer_secs` are over.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

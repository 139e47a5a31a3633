import type { ErrorCodeEntry } from "./entry.ts";

/** Events, waits and webhooks. */
export const EVENT_CODES = {
  invalid_event_key: {
    status: 400,
    title: "Invalid event key",
    meaning: "An event key has 1 to 512 characters, no control characters, and is neither `.` nor `..`.",
    remedy: "Use another key. In a path, percent-encode it once, with `/` as `%2F`.",
  },
  event_key_in_use: {
    status: 409,
    title: "Event key in use",
    meaning: "Another wait already uses this key. In a project, only one wait at a time can use a key.",
    remedy: "Include something unique in the key, such as the run id, or wait until the other wait has ended.",
  },
  event_already_received: {
    status: 409,
    title: "Event already received",
    meaning: "The newest wait for this key has received an event with a different payload, and nothing is waiting now.",
    remedy: "Send the first payload again to get its event trigger, or buffer this one with `buffer_secs`.",
  },
  event_trigger_ended: {
    status: 409,
    title: "Event trigger has ended",
    meaning: "The wait has timed out, was canceled or has received its event, and accepts no further events.",
    remedy: "Send with `buffer_secs` to buffer the event for the next wait with this key.",
  },
  delivery_not_failed: {
    status: 409,
    title: "Delivery has not failed",
    meaning: "Only a failed webhook delivery can be retried.",
    remedy: "If it is pending, wait for its next attempt. A delivered one needs no retry.",
  },
  event_chain_too_long: {
    status: 422,
    title: "Event chain too long",
    meaning:
      "An event started a run that dispatched an event that started a run, and so on. The limit is 50 events in a chain.",
    remedy: "Break the cycle, for example with a subscription filter that excludes events dispatched by its own runs.",
  },
  event_source_disabled: {
    status: 409,
    title: "Event source disabled",
    meaning: "The event source has `enabled: false` and accepts no events.",
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
    meaning: "The project has reached its limit of waiting event triggers, which `detail` states.",
    remedy: "Wait until some of them end, cancel some, or raise `max_active_event_triggers` of the project.",
  },
  event_buffer_full: {
    status: 429,
    title: "Too many buffered events",
    meaning: "At most 100 events can be buffered per key, and 10,000 per project.",
    remedy: "Wait until they are received or their `buffer_secs` have passed.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

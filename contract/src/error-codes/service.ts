import type { ErrorCodeEntry } from "./entry.ts";

/** The service: its limits and its faults. */
export const SERVICE_CODES = {
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning: "This address has used its share for the minute.",
    remedy: "Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    meaning: "A fault of the service. The log has a line with the same request id.",
    remedy: "Report it with the `request_id`.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    meaning: "The database cannot be reached or cannot write, or the service is stopping.",
    remedy: "Try again after `Retry-After` seconds; nothing was lost.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

import type { ErrorCodeEntry } from "./entry.ts";

/** The service itself: rate limits and internal errors. */
export const SERVICE_CODES = {
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning: "The client address or API key has sent as many requests in the last minute as its limit allows.",
    remedy: "Retry after the number of seconds in `Retry-After`.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    meaning: "An unexpected error in the service. The server log has an entry with the same request id.",
    remedy: "Report it with the `request_id`.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    meaning:
      "The database is unreachable or read-only, more triggers arrive than it can commit, or the service is shutting down.",
    remedy: "Retry after the number of seconds in `Retry-After`. No committed data was lost.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

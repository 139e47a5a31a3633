import type { ErrorCodeEntry } from "./entry.ts";

/** The service: rate limits and failures. */
export const SERVICE_CODES = {
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning: "This client address has reached its limit of requests per minute.",
    remedy: "Wait for `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    meaning: "The service failed unexpectedly. Its log has a line with the same request id.",
    remedy: "Report the error with its `request_id`.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    meaning: "The database is unreachable or cannot write, or the service is stopping.",
    remedy: "Retry after `Retry-After` seconds. No data was lost.",
  },
} as const satisfies Record<string, ErrorCodeEntry>;

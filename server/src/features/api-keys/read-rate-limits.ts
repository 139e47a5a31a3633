import type { ApiKey, CreateApiKey } from "@millrace/contract/api-keys";

/** All three fields, or null if none is set. */
export function readRateLimits(given: CreateApiKey["rate_limits"]): ApiKey["rate_limits"] {
  const { requests_per_minute = null, triggers_per_minute = null, bulk_per_minute = null } = given ?? {};
  const limits = { requests_per_minute, triggers_per_minute, bulk_per_minute };
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
}

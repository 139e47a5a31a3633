import type { ProblemError } from "@millrace/contract/schema/problem";
import { keyLocation } from "../json/json-location.ts";

/**
 * Headers that an endpoint would not receive as written, or that the service sends itself. Values are not repeated:
 * they may be secrets.
 */
export function headerIssues(headers: Record<string, string>): ProblemError[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = nameIssue(name.toLowerCase(), seen) ?? valueIssue(value);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ location: keyLocation("body.headers", name), message, value: null }];
  });
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const TAKEN = new Set([
  "host",
  "content-length",
  "content-type",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "expect",
  "te",
  "trailer",
]);
const RESERVED_PREFIXES = ["x-svc-", "idempotency-key", "traceparent", "tracestate", "x-webhook-signature"];

function nameIssue(name: string, seen: ReadonlySet<string>): string | undefined {
  if (!TOKEN.test(name)) return "is not a valid header name";
  if (TAKEN.has(name) || RESERVED_PREFIXES.some((beginning) => name.startsWith(beginning)))
    return "is set by the service itself";
  return seen.has(name) ? "is a duplicate: header names are case-insensitive" : undefined;
}

function valueIssue(value: string): string | undefined {
  return PRINTABLE.test(value) ? undefined : "may only contain printable ASCII characters";
}

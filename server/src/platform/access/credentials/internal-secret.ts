import { createHash, timingSafeEqual } from "node:crypto";

/** Digests are compared in constant time: neither the length nor a common prefix can be measured. */
export function matchesAny(secrets: readonly string[], given: string): boolean {
  const digest = digestOf(given);
  let matches = false;
  for (const secret of secrets) if (timingSafeEqual(digestOf(secret), digest)) matches = true;
  return matches;
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

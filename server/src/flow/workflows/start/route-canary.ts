import { createHash } from "node:crypto";

/** The number of buckets for keys. One percent is a hundred of them. */
const BUCKETS = 10_000;

/**
 * Whether a run takes the canary's target version. Only the canary and the key decide, so runs that share a key go
 * together, every instance decides alike, and a key routed to the target stays there when the share is raised.
 */
export function routesToTarget(canary: { id: string; traffic_pct: number }, routing_key: string): boolean {
  return bucketOf(`${canary.id}:${routing_key}`) < (canary.traffic_pct * BUCKETS) / 100;
}

/**
 * SHA-256 as a number, modulo the buckets. Uses 48 bits, which differs from a uniform distribution by less than 1 in
 * 10^10.
 */
function bucketOf(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6) % BUCKETS;
}

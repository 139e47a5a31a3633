import { LRUCache } from "lru-cache";
import type { KnownKey } from "../../platform/access/credentials/key-cache.ts";
import { hashKey } from "../../platform/access/credentials/key-format.ts";
import type { Ctx } from "../../platform/context.ts";

/** A valid key with limits of its own. */
export type OwnLimits = { key_id: string; rate_limits: NonNullable<KnownKey["rate_limits"]> };
type Found = OwnLimits | undefined;

const MAX_KEYS = 50_000;
const FORGET_AFTER_MS = 10_000; // how long new limits of a key may go unnoticed while its address is refused

/**
 * Finds the limits that a key has of its own, before the request is counted. An address that is refused anyway gets no
 * statement for keys that are known to have none: a flood stays cheap.
 */
export function openKeyLimits(ctx: Ctx) {
  const without = new LRUCache<string, true>({ max: MAX_KEYS, ttl: FORGET_AFTER_MS });
  const having = new LRUCache<string, true>({ max: MAX_KEYS });

  /** `isRefused`: the address is over its limit. `isGuessing`: it also sent many wrong credentials. */
  function find(key: string, address: { isRefused: boolean; isGuessing: boolean }): Found | Promise<Found> {
    const hash = hashKey(key);
    const name = hash.toString("latin1");
    const mayHave = having.has(name) || !(without.has(name) || address.isGuessing);
    if (address.isRefused && !mayHave) return undefined;
    const known = ctx.keyCache.find(ctx.db, hash);
    return known instanceof Promise ? known.then((each) => cacheFound(name, each)) : cacheFound(name, known);
  }

  function cacheFound(name: string, known: KnownKey | undefined): Found {
    const isValid =
      known && !known.revoked && !(known.valid_until_ms !== null && known.valid_until_ms <= ctx.watch.nowMs());
    if (isValid && known.rate_limits !== null) {
      having.set(name, true);
      return { key_id: known.key_id, rate_limits: known.rate_limits };
    }
    having.delete(name);
    without.set(name, true);
    return undefined;
  }

  return { find };
}

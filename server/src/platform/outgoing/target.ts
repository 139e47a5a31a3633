import { LRUCache } from "lru-cache";
import type { PrivateEndpoints } from "./address-rules.ts";
import { checkOutgoingUrl } from "./check-url.ts";

export type Target = { ok: true; origin: string; path: string } | { ok: false; reason: string };

/**
 * Checks and splits URLs, caching the last thousand: the same few endpoints are dispatched to all day, and a check
 * costs a fifth of a dispatch's CPU (measured: 20 of 110 µs).
 */
export function makeTargetOf(policy: PrivateEndpoints): (url: string) => Target {
  const known = new LRUCache<string, Target>({ max: 1_000 });

  return (url) => {
    const remembered = known.get(url);
    if (remembered) return remembered;

    const target = toTarget(url, policy);
    known.set(url, target);
    return target;
  };
}

function toTarget(text: string, policy: PrivateEndpoints): Target {
  const checked = checkOutgoingUrl(text, policy);
  if (!checked.ok) return checked;

  const { origin, pathname, search } = checked.url;
  return { ok: true, origin, path: pathname + search };
}

import { LRUCache } from "lru-cache";
import { countRequestOf } from "../platform/access/ip-counters.ts";
import type { Ctx } from "../platform/context.ts";

type Counter = { name: string; client: string; limit: number };
type Counted = Awaited<ReturnType<typeof countRequestOf>>;
type Share = { left: number; until_ms: number; taken: Counted };
type Kept = { share: Share | undefined; taking: Promise<Share> | undefined };

/** A share is what the limit allows in a tenth of a second. */
const SHARES_PER_MINUTE = 600;
/** A share is used up within the second that its slot was counted in, so that the window stays exact. */
const VALID_MS = 1_000;

/**
 * Counts requests of keys with high limits in shares: an instance counts many at once and hands them out from memory,
 * because a row that is updated for each of thousands of requests a second would slow all of them down. Low limits have
 * shares of one.
 */
export function openShares(ctx: Ctx) {
  const kept = new LRUCache<string, Kept>({ max: 10_000 });

  async function countOne(counter: Counter): Promise<Counted> {
    const amount = Math.floor(counter.limit / SHARES_PER_MINUTE);
    if (amount <= 1) return countRequestOf(ctx, counter);
    const mine = keptOf(`${counter.name} ${counter.client}`);
    for (;;) {
      const { share } = mine;
      if (share && share.left > 0 && share.until_ms > performance.now()) {
        share.left--;
        return { ...share.taken, remaining: share.taken.remaining + share.left };
      }
      mine.taking ??= take(mine, counter, amount);
      const { taken } = await mine.taking;
      if (!taken.admitted) return taken;
    }
  }

  function keptOf(name: string): Kept {
    const found = kept.get(name) ?? { share: undefined, taking: undefined };
    kept.set(name, found);
    return found;
  }

  /** Near the limit there may be room for one request but not for a share. */
  async function take(mine: Kept, counter: Counter, amount: number): Promise<Share> {
    const until_ms = performance.now() + VALID_MS;
    try {
      const many = await countRequestOf(ctx, { ...counter, amount });
      const taken = many.admitted ? many : await countRequestOf(ctx, counter);
      const left = taken.admitted ? (many.admitted ? amount : 1) : 0;
      mine.share = { left, until_ms, taken };
      return mine.share;
    } finally {
      mine.taking = undefined;
    }
  }

  return { countOne };
}

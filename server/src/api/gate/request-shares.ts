import { LRUCache } from "lru-cache";
import { countRequestOf, uncountRequests } from "../../platform/access/credentials/ip-counters.ts";
import type { Ctx } from "../../platform/context.ts";

type Counter = { name: string; client: string; limit: number };
type Counted = Awaited<ReturnType<typeof countRequestOf>>;
type Share = { amount: number; left: number; since_ms: number; until_ms: number; taken: Counted };
type ShareState = {
  share: Share | undefined;
  taking: Promise<Share> | undefined;
  returning: Promise<void> | undefined;
};

/** A share is what this instance used in a tenth of a second, and at most what the limit allows in that time. */
const SHARE_MS = 100;
const SHARES_PER_MINUTE = 600;
/** Shares shrink towards the end of the limit, so that no instance is refused because another holds the rest. */
const PART_OF_REMAINING = 1 / 10;
/**
 * A share is used up within the second that its slot was counted in, so that the window stays exact. What is unused then
 * is returned.
 */
const VALID_MS = 1_000;

/**
 * Counts requests of keys with high limits in shares: an instance counts many at once and hands them out from memory,
 * because a row that is updated for each of thousands of requests a second would slow all of them down. Low limits and
 * keys with few requests have shares of one.
 */
export function openShares(ctx: Ctx) {
  const states = new LRUCache<string, ShareState>({ max: 10_000 });

  async function countOne(counter: Counter): Promise<Counted> {
    if (!isShared(counter)) return countRequestOf(ctx, counter);
    const most = Math.floor(counter.limit / SHARES_PER_MINUTE);
    const state = stateOf(`${counter.name} ${counter.client}`);
    for (;;) {
      const { share } = state;
      if (share && share.left > 0 && share.until_ms > performance.now()) {
        share.left--;
        return { ...share.taken, remaining: share.taken.remaining + share.left };
      }
      state.taking ??= take(state, counter, most);
      const { taken } = await state.taking;
      if (!taken.admitted) return taken;
    }
  }

  function stateOf(name: string): ShareState {
    const found = states.get(name) ?? { share: undefined, taking: undefined, returning: undefined };
    states.set(name, found);
    return found;
  }

  async function take(state: ShareState, counter: Counter, most: number): Promise<Share> {
    try {
      const wanted = Math.min(most, demandOf(state.share));
      if (state.share) returnUnused(state, state.share, counter);
      await state.returning; // else the limit could refuse what this instance is returning
      const until_ms = performance.now() + VALID_MS;
      const { taken, amount } = await countShare(ctx, counter, wanted);
      const share = { amount, left: amount, since_ms: performance.now(), until_ms, taken };
      state.share = share;
      if (amount > 1) setTimeout(() => returnUnused(state, share, counter), VALID_MS).unref();
      return share;
    } finally {
      state.taking = undefined;
    }
  }

  /** If that fails, they stay counted until their second leaves the window. */
  function returnUnused(state: ShareState, share: Share, { name, client }: Counter): void {
    if (share.left === 0) return;
    const unused = { name, client, second: share.taken.second, amount: share.left };
    share.amount -= share.left;
    share.left = 0;
    const returned = uncountRequests(ctx, unused).catch(() => {});
    state.returning = Promise.all([state.returning, returned]).then(() => {});
  }

  return { countOne };
}

/** Near the limit there may be room for one request but not for a share. */
async function countShare(ctx: Ctx, counter: Counter, wanted: number): Promise<{ taken: Counted; amount: number }> {
  const many = wanted > 1 ? await countRequestOf(ctx, { ...counter, amount: wanted }) : undefined;
  if (many?.admitted) return { taken: many, amount: wanted };
  const one = await countRequestOf(ctx, counter);
  return { taken: one, amount: one.admitted ? 1 : 0 };
}

/** Whether the limit is high enough for shares of more than one. */
export function isShared({ limit }: { limit: number }): boolean {
  return limit >= 2 * SHARES_PER_MINUTE;
}

/** The next share follows the use of the last one, and grows to at most twice its size. */
function demandOf(last: Share | undefined): number {
  if (!last?.taken.admitted) return 1;
  const ms = Math.max(1, performance.now() - last.since_ms);
  const used = Math.ceil(((last.amount - last.left) * SHARE_MS) / ms);
  return Math.max(1, Math.min(used, 2 * last.amount, Math.floor(last.taken.remaining * PART_OF_REMAINING)));
}

import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { type AbortHandle, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWorkerPool, type Remaining } from "../../platform/worker-pool/worker-pool.ts";
import { type ClaimedDelivery, claimDeliveries, type RatedReceiver } from "./claim-deliveries.ts";
import { CLAIM_SECS, TIMEOUT_MS } from "./delivery-rules.ts";
import { findDueReceivers, type Receiver } from "./find-due-receivers.ts";
import { receiverHealth } from "./receiver-health.ts";
import { type Sending, sendDelivery } from "./send-delivery.ts";
import { settleDelivery } from "./settle-delivery.ts";
import { type Flight, type SpareCapacity, spareCapacity } from "./spare-capacity.ts";

const RECEIVERS_PER_PAGE = 256;
const TRY_AGAIN_MS = 250;
/** Walking many receivers costs as much as sending to them, so long rounds start at least this far apart. */
const LONG_ROUND_MS = 250;

/** Sends the deliveries of one instance. One per service. */
export const senderOf = perService(openSender);

type InFlight = Flight & { delivery: ClaimedDelivery; abortHandle: AbortHandle };

function openSender(ctx: Ctx) {
  const health = receiverHealth();
  let after: Receiver | undefined;
  /** The last round had more than one page. */
  let isLong = false;
  let walkAgainAt = 0;

  const pool = openWorkerPool<InFlight, Sending>(ctx, {
    name: "webhooks",
    // Claims are limited by `spareCapacity`, which leaves out slow ones.
    slots: Number.POSITIVE_INFINITY,
    claim: claimPage,
    send: ({ delivery, abortHandle }) => sendDelivery(ctx, delivery, { timeout_ms: TIMEOUT_MS, abortHandle }),
    settle,
    // The limit per host counts claims, which end when their result is written.
    freesSlot: "when_settled",
  });

  /** Claims from the next page of receivers. */
  async function claimPage(): Promise<Remaining> {
    const room = spareCapacity(pool.held);
    if (room.proven + room.unproven === 0) return "more_later";
    if (isLong) {
      // In a round of many pages, recently served receivers that are proven come first, before each page.
      await claim(health.recentlyServed(), room);
      if (after === undefined && performance.now() < walkAgainAt) return "more_later";
    }
    if (after === undefined) walkAgainAt = performance.now() + LONG_ROUND_MS;
    const page = await findDueReceivers(ctx, after, RECEIVERS_PER_PAGE);
    isLong = page.next !== undefined || (after !== undefined && isLong);
    after = page.next;
    const isAllClaimed = await claim(page.due.map(health.rate), spareCapacity(pool.held));
    if (after !== undefined) return "more";
    return isAllClaimed ? "nothing" : "more_later";
  }

  /** Returns false if more is due for these receivers. Skips receivers without capacity on this instance. */
  async function claim(receivers: RatedReceiver[], room: SpareCapacity): Promise<boolean> {
    const open = receivers.filter(room.hasRoom);
    const { claimed, isMore: isMoreDue } = await claimDeliveries(ctx, open, room);
    for (const delivery of claimed) {
      const { project_id, host } = delivery;
      const flight = { project_id, since: performance.now(), isProven: health.isProven(host) };
      pool.take({ ...flight, delivery, abortHandle: newAbortHandle() });
    }
    return !isMoreDue && open.length === receivers.length;
  }

  /**
   * While the database is unavailable, the result is kept until the claim expires; then another instance sends it
   * again.
   */
  async function settle({ delivery, since }: InFlight, { outcome, trace }: Sending): Promise<void> {
    health.record(delivery, outcome);
    while (performance.now() < since + CLAIM_SECS * 1_000) {
      try {
        await settleDelivery(ctx, delivery, outcome, trace);
        return;
      } catch (error) {
        ctx.log.debug({ reason: (error as Error).message }, "the result of a delivery could not be written");
        await pause(TRY_AGAIN_MS);
      }
    }
  }

  return { poll: pool.poll, idle: pool.idle, drain: pool.drain };
}

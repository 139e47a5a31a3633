import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { type AbortHandle, abortRequest, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWhenIdle } from "../../platform/when-idle.ts";
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

function openSender(ctx: Ctx) {
  const inFlight = new Map<AbortHandle, Flight>();
  const health = receiverHealth();
  let lastPass: Promise<unknown> = Promise.resolve();
  let after: Receiver | undefined;
  let isMore = false;
  /** The last round had more than one page. */
  let isLong = false;
  let walkAgainAt = 0;
  let isPassScheduled = false;
  let isStopped = false;
  let rounds = 0;
  /** Nothing is in flight, and nothing is left to send. */
  const idle = openWhenIdle(() => inFlight.size === 0 && rounds === 0);

  /** Claims from the next page of receivers, and sends without waiting for the responses. True: there is another page. */
  function poll(): Promise<boolean> {
    const thisPass = lastPass.then(claimPage);
    lastPass = thisPass.catch(() => {});
    return thisPass;
  }

  async function claimPage(): Promise<boolean> {
    isPassScheduled = false;
    isMore = true;
    const room = spareCapacity(inFlight.values());
    if (isStopped || room.proven + room.unproven === 0) return false;
    if (isLong) {
      // In a round of many pages, recently served receivers that are proven come first, before each page.
      await claim(health.recentlyServed(), room);
      if (after === undefined && performance.now() < walkAgainAt) return false;
    }
    if (after === undefined) walkAgainAt = performance.now() + LONG_ROUND_MS;
    const page = await findDueReceivers(ctx, after, RECEIVERS_PER_PAGE);
    isLong = page.next !== undefined || (after !== undefined && isLong);
    after = page.next;
    const isAllClaimed = await claim(page.due.map(health.rate), spareCapacity(inFlight.values()));
    isMore = !isAllClaimed || after !== undefined;
    return after !== undefined;
  }

  /** Returns false if more is due for these receivers. Skips receivers without capacity on this instance. */
  async function claim(receivers: RatedReceiver[], room: SpareCapacity): Promise<boolean> {
    const open = receivers.filter(room.hasRoom);
    const { claimed, isMore: isMoreDue } = await claimDeliveries(ctx, open, room);
    for (const delivery of claimed) void send(delivery);
    return !isMoreDue && open.length === receivers.length;
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const expiresAt = performance.now() + CLAIM_SECS * 1_000;
    const abortHandle = newAbortHandle();
    const { project_id, host } = delivery;
    inFlight.set(abortHandle, { project_id, since: performance.now(), isProven: health.isProven(host) });
    const sending = await sendDelivery(ctx, delivery, { timeout_ms: TIMEOUT_MS, abortHandle });
    health.note(delivery, sending.outcome);
    await settle(delivery, sending, expiresAt);
    inFlight.delete(abortHandle);
    schedulePass();
    idle.check();
  }

  /**
   * While the database is unavailable, the result is kept until the claim expires; then another instance sends it
   * again.
   */
  async function settle(delivery: ClaimedDelivery, { outcome, trace }: Sending, expiresAt: number): Promise<void> {
    while (performance.now() < expiresAt) {
      try {
        await settleDelivery(ctx, delivery, outcome, trace);
        return;
      } catch (error) {
        ctx.log.debug({ reason: (error as Error).message }, "the result of a delivery could not be written");
        await pause(TRY_AGAIN_MS);
      }
    }
  }

  /** A slot is free: the next delivery is claimed at once instead of in the next regular pass. */
  function schedulePass(): void {
    if (!isMore || isPassScheduled || isStopped) return;
    isPassScheduled = true;
    rounds++;
    void claimAllPages().finally(() => {
      rounds--;
      idle.check();
    });
  }

  async function claimAllPages(): Promise<void> {
    try {
      while (await poll());
    } catch (error) {
      // The next regular pass retries.
      ctx.log.debug({ reason: (error as Error).message }, "deliveries could not be claimed");
    }
  }

  /**
   * Stops claiming and waits this long for requests in flight; then aborts them, and their deliveries are due at once.
   */
  async function drain(graceMs: number): Promise<void> {
    isStopped = true;
    await lastPass;
    const graceTimer = setTimeout(() => {
      for (const abortHandle of inFlight.keys()) abortRequest(abortHandle);
    }, graceMs);
    await idle.wait();
    clearTimeout(graceTimer);
  }

  return { poll, idle: idle.wait, drain };
}

import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { type Cord, newCord, pullCord } from "../../platform/outgoing/cord.ts";
import { perService } from "../../platform/service-state.ts";
import { openWhenIdle } from "../../platform/when-idle.ts";
import { type ClaimedDelivery, claimDeliveries } from "./claim-deliveries.ts";
import { CLAIM_SECS, MOST_IN_FLIGHT, TIMEOUT_MS } from "./delivery-rules.ts";
import { findDueLanes, type Lane } from "./find-due-lanes.ts";
import type { Receipt } from "./read-receipt.ts";
import { sendDelivery } from "./send-delivery.ts";
import { settleDelivery } from "./settle-delivery.ts";

const LANES_PER_LOOK = 256;
const TRY_AGAIN_MS = 250;

/** Sends the deliveries of one instance. One for each service. */
export const senderOf = perService(openSender);

function openSender(ctx: Ctx) {
  const inFlight = new Set<Cord>();
  let lastLook: Promise<unknown> = Promise.resolve();
  let after: Lane | undefined;
  let isMore = false;
  let isAsked = false;
  let isStopped = false;
  let rounds = 0;
  /** Nothing is under way, and nothing is left that could be sent. */
  const idle = openWhenIdle(() => inFlight.size === 0 && rounds === 0);

  /** Claims from the next page of lanes, and sends without waiting for the answers. True: there is another page. */
  function look(): Promise<boolean> {
    const thisLook = lastLook.then(claimPage);
    lastLook = thisLook.catch(() => {});
    return thisLook;
  }

  async function claimPage(): Promise<boolean> {
    isAsked = false;
    isMore = true;
    const room = MOST_IN_FLIGHT - inFlight.size;
    if (isStopped || room === 0) return false;
    const page = await findDueLanes(ctx, after, LANES_PER_LOOK);
    after = page.next;
    const claim = await claimDeliveries(ctx, page.due, room);
    isMore = claim.isMore || after !== undefined;
    for (const delivery of claim.claimed) void send(delivery);
    return after !== undefined;
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const voidAt = performance.now() + CLAIM_SECS * 1_000;
    const cord = newCord();
    inFlight.add(cord);
    const receipt = await sendDelivery(ctx, delivery, { timeout_ms: TIMEOUT_MS, cord });
    await settle(delivery, receipt, voidAt);
    inFlight.delete(cord);
    lookAgain();
    idle.look();
  }

  /** While the database is away what came of it is kept, until the claim is void: then somebody else sends it again. */
  async function settle(delivery: ClaimedDelivery, receipt: Receipt, voidAt: number): Promise<void> {
    while (performance.now() < voidAt) {
      try {
        await settleDelivery(ctx, delivery, receipt);
        return;
      } catch (error) {
        ctx.log.debug({ reason: (error as Error).message }, "what came of a delivery could not be written");
        await pause(TRY_AGAIN_MS);
      }
    }
  }

  /** A place is free: whoever waited for it goes on at once, not at the next regular look. */
  function lookAgain(): void {
    if (!isMore || isAsked || isStopped) return;
    isAsked = true;
    rounds++;
    void lookThrough().finally(() => {
      rounds--;
      idle.look();
    });
  }

  async function lookThrough(): Promise<void> {
    try {
      while (await look());
    } catch (error) {
      // The regular look comes anyway.
      ctx.log.debug({ reason: (error as Error).message }, "deliveries could not be claimed");
    }
  }

  /** Stops claiming and gives what is under way this long; then hangs up, and what was not answered is due at once. */
  async function drain(graceMs: number): Promise<void> {
    isStopped = true;
    await lastLook;
    const hurry = setTimeout(() => {
      for (const cord of inFlight) pullCord(cord);
    }, graceMs);
    await idle.wait();
    clearTimeout(hurry);
  }

  return { look, idle: idle.wait, drain };
}

import { setTimeout as pause } from "node:timers/promises";
import type { Ctx } from "../../platform/context.ts";
import { type AbortHandle, abortRequest, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWhenIdle } from "../../platform/when-idle.ts";
import { type ClaimedDelivery, claimDeliveries, type JudgedLane } from "./claim-deliveries.ts";
import { CLAIM_SECS, TIMEOUT_MS } from "./delivery-rules.ts";
import { findDueLanes, type Lane } from "./find-due-lanes.ts";
import { receiverHealth } from "./receiver-health.ts";
import { type Sending, sendDelivery } from "./send-delivery.ts";
import { settleDelivery } from "./settle-delivery.ts";
import { type Flight, type SpareCapacity, spareCapacity } from "./spare-capacity.ts";

const LANES_PER_LOOK = 256;
const TRY_AGAIN_MS = 250;
/** Walking many lanes costs as much as sending to them: from one such round to the next at least this. */
const LONG_ROUND_MS = 250;

/** Sends the deliveries of one instance. One for each service. */
export const senderOf = perService(openSender);

function openSender(ctx: Ctx) {
  const inFlight = new Map<AbortHandle, Flight>();
  const receivers = receiverHealth();
  let lastLook: Promise<unknown> = Promise.resolve();
  let after: Lane | undefined;
  let isMore = false;
  /** The last round took more than one page. */
  let isLong = false;
  let walkAgainAt = 0;
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
    const room = spareCapacity(inFlight.values());
    if (isStopped || room.proven + room.unproven === 0) return false;
    if (isLong) {
      // In a round of many pages those go first, before each page, that are known to be there and to answer.
      await claim(receivers.recentLanes(), room);
      if (after === undefined && performance.now() < walkAgainAt) return false;
    }
    if (after === undefined) walkAgainAt = performance.now() + LONG_ROUND_MS;
    const page = await findDueLanes(ctx, after, LANES_PER_LOOK);
    isLong = page.next !== undefined || (after !== undefined && isLong);
    after = page.next;
    const isAllClaimed = await claim(page.due.map(receivers.judge), spareCapacity(inFlight.values()));
    isMore = !isAllClaimed || after !== undefined;
    return after !== undefined;
  }

  /** False: more is due in these lanes. Those that have no room here anyway are not asked for. */
  async function claim(lanes: JudgedLane[], room: SpareCapacity): Promise<boolean> {
    const open = lanes.filter(room.hasRoom);
    const { claimed, isMore: isMoreDue } = await claimDeliveries(ctx, open, room);
    for (const delivery of claimed) void send(delivery);
    return !isMoreDue && open.length === lanes.length;
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    const voidAt = performance.now() + CLAIM_SECS * 1_000;
    const abortHandle = newAbortHandle();
    const { project_id, host } = delivery;
    inFlight.set(abortHandle, { project_id, since: performance.now(), isProven: receivers.isProven(host) });
    const sending = await sendDelivery(ctx, delivery, { timeout_ms: TIMEOUT_MS, abortHandle });
    receivers.note(delivery, sending.receipt);
    await settle(delivery, sending, voidAt);
    inFlight.delete(abortHandle);
    lookAgain();
    idle.look();
  }

  /** While the database is away what came of it is kept, until the claim is void: then somebody else sends it again. */
  async function settle(delivery: ClaimedDelivery, { receipt, trace }: Sending, voidAt: number): Promise<void> {
    while (performance.now() < voidAt) {
      try {
        await settleDelivery(ctx, delivery, receipt, trace);
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
      for (const abortHandle of inFlight.keys()) abortRequest(abortHandle);
    }, graceMs);
    await idle.wait();
    clearTimeout(hurry);
  }

  return { look, idle: idle.wait, drain };
}

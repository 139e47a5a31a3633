import type { Ctx } from "../../platform/context.ts";
import { type AbortHandle, abortRequest, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWhenIdle } from "../../platform/when-idle.ts";
import { type ClaimedDrain, claimDrains } from "./claim-drains.ts";
import { drainRecords } from "./drain-records.ts";
import { MAX_AT_ONCE } from "./drain-rules.ts";

/** Sends to the drains of one instance; there is one per service. A slow receiver delays only itself. */
export const drainerOf = perService(openDrainer);

function openDrainer(ctx: Ctx) {
  const underWay = new Set<AbortHandle>();
  let lastClaim: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const idle = openWhenIdle(() => underWay.size === 0);

  /** Claims due drains and sends without waiting for the responses. Returns true if more may be due. */
  function poll(): Promise<boolean> {
    const thisClaim = lastClaim.then(claim);
    lastClaim = thisClaim.catch(() => {});
    return thisClaim;
  }

  async function claim(): Promise<boolean> {
    const room = MAX_AT_ONCE - underWay.size;
    if (isStopped || room === 0) return false;
    const claimed = await claimDrains(ctx, room);
    for (const drain of claimed) void send(drain);
    return claimed.length === room && underWay.size < MAX_AT_ONCE;
  }

  async function send(drain: ClaimedDrain): Promise<void> {
    const abortHandle = newAbortHandle();
    underWay.add(abortHandle);
    try {
      await drainRecords(ctx, drain, abortHandle);
    } catch (error) {
      // The claim expires by itself, and the drain is retried.
      ctx.log.warn({ drain_id: drain.id, reason: (error as Error).message }, "a log drain failed");
    }
    underWay.delete(abortHandle);
    idle.check();
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await lastClaim;
    for (const abortHandle of underWay) abortRequest(abortHandle);
    await idle.wait();
  }

  return { poll, idle: idle.wait, stop };
}

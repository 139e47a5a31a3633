import type { Ctx } from "../../platform/context.ts";
import { type AbortHandle, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWorkerPool, type Remaining } from "../../platform/worker-pool/worker-pool.ts";
import { type ClaimedDrain, claimDrains } from "./claim-drains.ts";
import { drainRecords } from "./drain-records.ts";
import { MAX_CONCURRENT } from "./drain-rules.ts";

/** Sends to the drains of one instance; there is one per service. A slow receiver delays only itself. */
export const drainerOf = perService(openDrainer);

type Draining = { drain: ClaimedDrain; abortHandle: AbortHandle };

function openDrainer(ctx: Ctx) {
  const pool = openWorkerPool<Draining, void>(ctx, {
    name: "log drains",
    slots: MAX_CONCURRENT,
    claim,
    send,
    freesSlot: "when_settled",
  });

  async function claim(): Promise<Remaining> {
    const room = MAX_CONCURRENT - pool.held.size;
    if (room === 0) return "more_later";
    const claimed = await claimDrains(ctx, room);
    for (const drain of claimed) pool.take({ drain, abortHandle: newAbortHandle() });
    return claimed.length === room ? "more_later" : "nothing";
  }

  async function send({ drain, abortHandle }: Draining): Promise<void> {
    try {
      await drainRecords(ctx, drain, abortHandle);
    } catch (error) {
      // The claim expires by itself, and the drain is retried.
      ctx.log.warn({ drain_id: drain.id, reason: (error as Error).message }, "a log drain failed");
    }
  }

  /** An aborted request hands its drain back. */
  const stop = () => pool.drain(0);

  return { poll: pool.poll, idle: pool.idle, stop };
}

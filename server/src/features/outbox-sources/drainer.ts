import type { Ctx } from "../../platform/context.ts";
import { logFailure } from "../../platform/logging/log-failure.ts";
import { type AbortHandle, newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { perService } from "../../platform/service-state.ts";
import { openWorkerPool, type Remaining } from "../../platform/worker-pool/worker-pool.ts";
import { type ClaimedSource, claimSources } from "./claim-sources.ts";
import { drainSource } from "./drain-source.ts";

/** Connections to the databases of applications. Beyond that, sources take turns. */
const MAX_CONCURRENT = 100;
const TURN_MS = 5_000;

/** Drains the outbox sources of one instance; there is one per service. Each source delays only itself. */
export const sourceDrainerOf = perService(openSourceDrainer);

type Draining = { source: ClaimedSource; abortHandle: AbortHandle };

function openSourceDrainer(ctx: Ctx) {
  const pool = openWorkerPool<Draining, void>(ctx, {
    name: "outbox sources",
    slots: MAX_CONCURRENT,
    claim,
    send,
    freesSlot: "when_settled",
  });

  async function claim(): Promise<Remaining> {
    const room = MAX_CONCURRENT - pool.held.size;
    if (room === 0) return "more_later";
    const claimed = await claimSources(ctx, room);
    for (const source of claimed) pool.take({ source, abortHandle: newAbortHandle() });
    return claimed.length === room ? "more_later" : "nothing";
  }

  async function send({ source, abortHandle }: Draining): Promise<void> {
    const beganMs = performance.now();
    const mustYield = () => pool.held.size >= MAX_CONCURRENT && performance.now() - beganMs > TURN_MS;
    try {
      await drainSource(ctx, source, { abortHandle, mustYield });
    } catch (error) {
      // The claim expires by itself, and the source is drained again.
      logFailure(ctx, error, { outbox_source_id: source.id }, "an outbox source could not be drained");
    }
  }

  /** Each source finishes its page and is handed back. */
  const stop = () => pool.drain(0);

  return { poll: pool.poll, stop };
}

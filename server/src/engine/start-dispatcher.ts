import { LANES_TOPIC, readLane } from "../flow/runs/claim/lanes.ts";
import type { Starter } from "../flow/runs/create/start-locally.ts";
import { RUN_ENDED_TOPIC } from "../flow/runs/settle/after-runs-ended.ts";
import type { Ctx } from "../platform/context.ts";
import { dispatcherOf } from "./dispatcher.ts";

export type RunningDispatcher = { drain: () => Promise<void> };

type Connect = (starter: Starter | undefined) => void;

/**
 * Subscribes the dispatcher to new work and to runs that ended elsewhere, and offers its free slots to triggers, until it
 * is drained.
 */
export function startDispatcher(ctx: Ctx, connect: Connect): RunningDispatcher {
  const dispatcher = dispatcherOf(ctx);
  const unsubscribeLanes = ctx.wakeup.onWake(LANES_TOPIC, (detail) => {
    const lane = readLane(detail);
    if (lane) dispatcher.wake(lane);
    else void dispatcher.poll().catch(() => {});
  });
  const unsubscribeEnded = ctx.wakeup.onWake(RUN_ENDED_TOPIC, (run_id) => {
    if (run_id !== undefined) dispatcher.abortRun(run_id);
  });
  connect(dispatcher.starter);
  return {
    drain: async () => {
      connect(undefined);
      unsubscribeLanes();
      await dispatcher.drain(ctx.config.shutdown_grace_secs * 1_000);
      unsubscribeEnded();
    },
  };
}

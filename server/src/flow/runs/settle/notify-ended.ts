import type { Ctx } from "../../../platform/context.ts";
import { wake } from "../../../platform/wake.ts";

export const RUN_ENDED_TOPIC = "run-ended";

/**
 * Notifies every instance, after the commit, that these runs have ended: the instance that dispatches one aborts its
 * request.
 */
export function notifyEnded(ctx: Ctx, runs: readonly { run_id: string }[]): void {
  for (const { run_id } of runs) wake(ctx, RUN_ENDED_TOPIC, run_id);
}

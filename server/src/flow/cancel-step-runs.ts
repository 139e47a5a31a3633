import type { Actor } from "../platform/actor.ts";
import type { Ctx } from "../platform/context.ts";
import { groupBy } from "../platform/group-by.ts";
import type { Effect } from "../platform/ledger/record-effects.ts";
import { strikeEffects } from "../platform/ledger/take-effects.ts";
import { cancelRun } from "./cancel-run.ts";
import { cancelRuns } from "./cancel-runs.ts";

/**
 * Cancels the job runs of steps of one project that were canceled, skipped or reset: those with the same reason in one
 * transaction. One that has ended is left as it is.
 */
export async function cancelStepRuns(ctx: Ctx, effects: readonly Effect[]): Promise<void> {
  for (const effect of effects.filter(isRest)) {
    const { project_id, target_id: run_id } = effect;
    await cancelRun(ctx, { project_id, run_id, cause: "canceled", ...whyOf(effect) });
  }
  const whole = effects.filter((effect) => !isRest(effect));
  for (const some of groupBy(whole, (effect) => JSON.stringify(whyOf(effect))).values()) {
    const { project_id } = some[0] as Effect;
    const why = whyOf(some[0] as Effect);
    const run_ids = [...new Set(some.map(({ target_id }) => target_id))];
    await cancelRuns(ctx, async (tx, cancel) => {
      await strikeEffects(tx, some);
      await cancel({ project_id, run_ids, ...why });
    });
  }
}

/** What did not fit into the transaction that canceled the run itself: only `cancelRun` goes on below one that has ended. */
function isRest({ transition_id }: Effect): boolean {
  return transition_id.endsWith(":below");
}

/** `by`: whoever sent the event that cancels it. */
function whyOf({ detail }: Effect): { reason: string; by: Actor } {
  const { reason, by = { id: null, name: "its workflow run" } } = detail as { reason: string; by?: Actor };
  return { reason, by };
}

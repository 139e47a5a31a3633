import type { Ctx } from "../platform/context.ts";
import { groupBy } from "../platform/group-by.ts";
import type { Effect } from "../platform/ledger/record-effects.ts";
import { strikeEffects } from "../platform/ledger/take-effects.ts";
import { cancelRuns } from "./cancel-runs.ts";
import { cancelStepRun } from "./cancel-step-run.ts";

/** Cancels the job runs of many steps of one project: those with the same reason in one transaction. */
export async function cancelStepRuns(ctx: Ctx, effects: readonly Effect[]): Promise<void> {
  for (const effect of effects.filter(isRest)) await cancelStepRun(ctx, effect);
  const whole = effects.filter((effect) => !isRest(effect));
  for (const [reason, some] of groupBy(whole, reasonOf)) {
    const { project_id } = some[0] as Effect;
    const run_ids = [...new Set(some.map(({ target_id }) => target_id))];
    await cancelRuns(ctx, async (tx, cancel) => {
      await strikeEffects(tx, some);
      await cancel({ project_id, run_ids, reason, by: "its workflow run" });
    });
  }
}

/** What did not fit into the transaction that canceled the run itself: only `cancelRun` goes on below one that has ended. */
function isRest({ transition_id }: Effect): boolean {
  return transition_id.endsWith(":below");
}

function reasonOf({ detail }: Effect): string {
  return (detail as { reason: string }).reason;
}

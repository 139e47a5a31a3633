import type { Ctx, InTransaction } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { abortRuns } from "./abort-runs.ts";
import { type CountedMove, countTransitions } from "./count-transitions.ts";
import { type Lane, wakeLanes } from "./lanes.ts";
import { type LockedRun, lockRuns, type RunKey } from "./lock-runs.ts";

/** What the caller does after the commit of a change. */
export type FollowUp = { moves: CountedMove[]; lanes: Lane[] };

export const NO_FOLLOW_UP: FollowUp = { moves: [], lanes: [] };

/** After these retries, a run whose queue row is missing is changed without one. */
const MOST_ROUNDS = 5;

/** Changes one run under its locks. False: there is no such run. */
export async function changeRun<C extends Ctx>(
  ctx: C,
  { project_id, run_id }: RunKey,
  change: (tx: C & InTransaction, run: LockedRun) => Promise<FollowUp>,
): Promise<boolean> {
  for (let round = 1; ; round++) {
    const followUp = await inTransaction(ctx, async (tx) => {
      const { runs, isOutdated } = await lockRuns(tx, project_id, [run_id]);
      const [run] = runs;
      if (!run) return "absent";
      if (isOutdated && round < MOST_ROUNDS) return "outdated";
      return { run, ...(await change(tx, run)) };
    });
    if (followUp === "outdated") continue;
    if (followUp === "absent") return false;
    countTransitions(ctx, followUp.moves);
    wakeLanes(ctx, followUp.lanes);
    await abortRuns(ctx, [followUp.run]);
    return true;
  }
}

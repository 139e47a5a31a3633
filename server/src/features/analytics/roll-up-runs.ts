import { followStretches } from "../../platform/changelog/follow-stretches.ts";
import { isWithin } from "../../platform/changelog/next-stretch.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { takeMoves } from "./take-moves.ts";

export const RUNS_FOLLOWER = "roll-up-runs";

/** Transitions per pass. Most runs have three, so it keeps up with three thousand runs a second. */
const MOST = 9_000;

/** Consumes the transitions of all runs and adds each once to the roll-ups, in the commit that advances the cursor. */
export function rollUpRuns(ctx: Ctx): Promise<boolean> {
  return followStretches(ctx, {
    ...{ name: RUNS_FOLLOWER, log: "run_transitions", isPatient: true, most: MOST },
    take: async (tx, stretch) => {
      const tallies = new Map();
      await takeMoves(tx, tallies, isWithin(stretch));
      await takeErrors(tx, tallies, isWithin(stretch));
      await addRollups(tx, tallies);
    },
  });
}

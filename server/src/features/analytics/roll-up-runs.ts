import { followStretches } from "../../platform/changelog/follow-stretches.ts";
import { isWithin } from "../../platform/changelog/next-stretch.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { takeMoves } from "./take-moves.ts";

export const RUNS_FOLLOWER = "roll-up-runs";

/** Moves of a turn. Most runs move three times, so it keeps up with three thousand a second. */
const MOST = 9_000;

/** Follows the transitions of all runs and adds them to the roll-ups: each once, in the commit that moves the place. */
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

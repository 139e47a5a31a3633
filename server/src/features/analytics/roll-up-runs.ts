import type { Ctx } from "../../platform/context.ts";
import { followStretches } from "../../platform/ledger/follow-stretches.ts";
import { isWithin } from "../../platform/ledger/next-stretch.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { COUNTED_MOVES, takeMoves } from "./take-moves.ts";

export const RUNS_FOLLOWER = "roll-up-runs";

/** Moves of a turn. Runs move twice that are counted, so it keeps up with three thousand runs a second. */
const MOST = 6_000;

/** Follows the transitions of all runs and adds them to the roll-ups: each once, in the commit that moves the place. */
export function rollUpRuns(ctx: Ctx): Promise<boolean> {
  return followStretches(ctx, {
    ...{ name: RUNS_FOLLOWER, log: "run_transitions", only: COUNTED_MOVES, most: MOST },
    take: async (tx, stretch) => {
      const tallies = new Map();
      await takeMoves(tx, tallies, isWithin(stretch));
      await takeErrors(tx, tallies, isWithin(stretch));
      await addRollups(tx, tallies);
    },
  });
}

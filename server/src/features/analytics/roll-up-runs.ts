import type { Ctx } from "../../platform/context.ts";
import { followLog } from "../../platform/ledger/follow-log.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { COUNTED_MOVES, type Move, tallyMoves, withRuns } from "./take-moves.ts";

export const RUNS_FOLLOWER = "roll-up-runs";

/** Follows the transitions of all runs and adds them to the roll-ups: each once, in the commit that moves the place. */
export function rollUpRuns(ctx: Ctx): Promise<boolean> {
  return followLog<Move>(ctx, {
    ...{ name: RUNS_FOLLOWER, log: "run_transitions", from: "start", only: COUNTED_MOVES, isPatient: true },
    take: async (tx, rows) => {
      const moves = await withRuns(tx, rows);
      const tallies = new Map();
      tallyMoves(tallies, moves);
      await takeErrors(tx, tallies, moves);
      await addRollups(tx, tallies);
    },
  });
}

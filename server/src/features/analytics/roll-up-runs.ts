import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import { runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { takeMoves } from "./take-moves.ts";

export const RUNS_CONSUMER = "roll-up-runs";

/** Changes per pass. Most runs have three, so it keeps up with three thousand runs a second. */
const MOST = 9_000;

/** Consumes the changes of all runs and adds each once to the rollups, in the commit that advances the cursor. */
export function rollUpRuns(ctx: Ctx): Promise<boolean> {
  return consumeChanges(ctx, {
    ...{ name: RUNS_CONSUMER, yieldsToRuns: true, most: MOST },
    take: async (tx, range) => {
      const tallies = new Map();
      await takeMoves(tx, tallies, runChanges(range));
      await takeErrors(tx, tallies, runChanges(range));
      await addRollups(tx, tallies);
    },
  });
}

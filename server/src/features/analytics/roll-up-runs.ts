import { consumeBatches } from "../../platform/changelog/consume-batches.ts";
import { isWithin } from "../../platform/changelog/next-batch.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { takeErrors } from "./take-errors.ts";
import { takeMoves } from "./take-moves.ts";

export const RUNS_CONSUMER = "roll-up-runs";

/** Transitions per pass. Most runs have three, so it keeps up with three thousand runs a second. */
const MOST = 9_000;

/** Consumes the transitions of all runs and adds each once to the rollups, in the commit that advances the cursor. */
export function rollUpRuns(ctx: Ctx): Promise<boolean> {
  return consumeBatches(ctx, {
    ...{ name: RUNS_CONSUMER, log: "run_transitions", yieldsToRuns: true, most: MOST },
    take: async (tx, batch) => {
      const tallies = new Map();
      await takeMoves(tx, tallies, isWithin(batch));
      await takeErrors(tx, tallies, isWithin(batch));
      await addRollups(tx, tallies);
    },
  });
}

import { consumeLog } from "../../platform/changelog/consume-log.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { COUNTED_DECISIONS, type Decision, takeDecisions } from "./take-decisions.ts";

export const WORKFLOWS_CONSUMER = "roll-up-workflows";

/** Consumes the decisions on all workflow runs and adds each once to the rollups. */
export function rollUpWorkflows(ctx: Ctx): Promise<boolean> {
  return consumeLog<Decision>(ctx, {
    ...{ name: WORKFLOWS_CONSUMER, log: "workflow_decisions", only: COUNTED_DECISIONS, yieldsToRuns: true },
    take: async (tx, decisions) => {
      const tallies = new Map();
      await takeDecisions(tx, tallies, decisions);
      await addRollups(tx, tallies);
    },
  });
}

import { followLog } from "../../platform/changelog/follow-log.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { COUNTED_DECISIONS, type Decision, takeDecisions } from "./take-decisions.ts";

export const WORKFLOWS_FOLLOWER = "roll-up-workflows";

/** Consumes the decisions on all workflow runs and adds each once to the roll-ups. */
export function rollUpWorkflows(ctx: Ctx): Promise<boolean> {
  return followLog<Decision>(ctx, {
    ...{ name: WORKFLOWS_FOLLOWER, log: "workflow_decisions", only: COUNTED_DECISIONS, isPatient: true },
    take: async (tx, decisions) => {
      const tallies = new Map();
      await takeDecisions(tx, tallies, decisions);
      await addRollups(tx, tallies);
    },
  });
}

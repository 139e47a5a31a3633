import { sql } from "kysely";
import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import { decisions } from "../../platform/changelog/log-range.ts";
import type { Ctx } from "../../platform/context.ts";
import { addRollups } from "./add-rollups.ts";
import { COUNTED_DECISIONS, type Decision, takeDecisions } from "./take-decisions.ts";

export const WORKFLOWS_CONSUMER = "roll-up-workflows";

/** Changes per pass, of which decisions are a part. */
const MOST = 4_000;

/** Consumes the decisions on all workflow runs and adds each once to the rollups. */
export function rollUpWorkflows(ctx: Ctx): Promise<boolean> {
  return consumeChanges(ctx, {
    ...{ name: WORKFLOWS_CONSUMER, yieldsToRuns: true, most: MOST },
    take: async (tx, range) => {
      const { rows } = await sql<Decision>`
        /* prepared */
        select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at, l.position
        from ${decisions(range)} where ${COUNTED_DECISIONS} order by l.position, l.ordinal`.execute(tx.db);
      const tallies = new Map();
      await takeDecisions(tx, tallies, rows);
      await addRollups(tx, tallies);
    },
  });
}

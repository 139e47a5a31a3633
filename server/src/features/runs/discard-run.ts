import type { RunRow } from "../../flow/runs/run-columns.ts";
import { discardRuns } from "../../flow/runs/stop/dead-letters.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./get-run.ts";

/** Removes a run from the dead-letter queue without a replay. */
export async function discardRun(ctx: ProjectCtx, id: string): Promise<RunRow> {
  const { id: run_id, project_id, dead_lettered_at } = await getRun(ctx, id);
  return inTransaction(ctx, async (tx) => {
    const discarded = await discardRuns(tx, project_id, [run_id]);
    if (discarded === 0) throw new ApiError("not_dead_lettered", "The run is not in the dead-letter queue.");
    await auditRun(tx, { action: "discarded", run_id, before: { dead_lettered_at } });
    return getRun(tx, run_id);
  });
}

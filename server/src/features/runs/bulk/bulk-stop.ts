import { stopQueuedRuns } from "../../../flow/runs/stop/stop-queued.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { RunSelection } from "./bulk-selection.ts";
import { findNext, type Walk } from "./bulk-walk.ts";

const PAGE = 1_000;
/** Bounds the time to the response; runs beyond it are stopped when the batch reaches them. */
const MAX_PAGES = 20;

/**
 * Stops the queued runs that a bulk cancel selects before the request returns, so that none of them is claimed anymore.
 */
export async function stopSelection(ctx: ProjectCtx, selection: RunSelection, until: Walk["until"]): Promise<void> {
  const walk: Walk = { selection: { ...selection, sources: ["queue"] }, until };
  let cursor: unknown = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await findNext(ctx, walk, cursor, PAGE);
    const run_ids = found.runs.map((run) => run.id);
    if (run_ids.length > 0) {
      await inTransaction(ctx, (tx) => stopQueuedRuns(tx, ctx.project_id, run_ids, "batch"));
    }
    if (found.is_over) return;
    cursor = found.cursor;
  }
}

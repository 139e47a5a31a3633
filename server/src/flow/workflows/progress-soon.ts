import type { Ctx } from "../../platform/context.ts";
import { isConnectionLoss } from "../../platform/database/database-errors.ts";
import { perService } from "../../platform/service-state.ts";
import { progressRuns } from "./progress-runs.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/** Runs in one transaction. */
const MOST_AT_ONCE = 100;

/** Those to be progressed by this instance. Told many times while they wait, they are progressed once. */
const waitingOf = perService(() => ({
  keys: new Map<string, WorkflowRunKey>(),
  underWay: undefined as Promise<void> | undefined,
}));

/**
 * Progresses workflow runs in the background, many in one transaction: what is told while one is under way goes into
 * the next. Call it after the commit. Nobody waits for it; what fails here the reconciliation does.
 */
export function progressSoon(ctx: Ctx, keys: Iterable<WorkflowRunKey>): void {
  const waiting = waitingOf(ctx);
  for (const key of keys) waiting.keys.set(key.workflow_run_id, key);
  if (waiting.keys.size === 0) return;
  waiting.underWay ??= progressAll(ctx).finally(() => {
    waiting.underWay = undefined;
    if (waiting.keys.size > 0) progressSoon(ctx, []);
  });
}

/** Comes back when nothing is left to be progressed by this instance. */
export async function whenProgressed(ctx: Ctx): Promise<void> {
  while (waitingOf(ctx).underWay) await waitingOf(ctx).underWay;
}

async function progressAll(ctx: Ctx): Promise<void> {
  const { keys } = waitingOf(ctx);
  // What is told in the same turn of the event loop is done together.
  await new Promise((resolve) => setImmediate(resolve));
  while (keys.size > 0) {
    const batch = [...keys.values()].slice(0, MOST_AT_ONCE);
    for (const { workflow_run_id } of batch) keys.delete(workflow_run_id);
    await progressBatch(ctx, batch);
  }
}

/** One run that cannot be progressed must not hold up the others. */
async function progressBatch(ctx: Ctx, batch: WorkflowRunKey[]): Promise<void> {
  try {
    await progressRuns(ctx, batch);
  } catch (error) {
    if (batch.length > 1 && !isConnectionLoss(error)) {
      for (const key of batch) await progressBatch(ctx, [key]);
      return;
    }
    const reason = error instanceof Error ? error.stack : String(error);
    ctx.log.warn({ workflow_runs: batch.length, first: batch[0], reason }, "workflow runs were not progressed");
  }
}

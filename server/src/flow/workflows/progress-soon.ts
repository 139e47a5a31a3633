import type { Ctx } from "../../platform/context.ts";
import { isConnectionLoss } from "../../platform/database/database-errors.ts";
import { perService } from "../../platform/service-state.ts";
import { tellFailure } from "../../platform/tell-failure.ts";
import { progressRuns } from "./progress-runs.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/** Runs in one transaction. */
const MOST_AT_ONCE = 100;

/**
 * The least time from one transaction to the next while each has this many: of 16 runs one costs half of what it does
 * of 4. Where few move, none of them waits.
 */
const REST_MS = 16;
const BUSY_RUNS = 4;

type Waiting = {
  keys: Map<string, WorkflowRunKey>;
  underWay: Promise<void> | undefined;
  last: { startedAt: number; runs: number };
};

/** Those to be progressed by this instance. Told many times while they wait, they are progressed once. */
const waitingOf = perService(
  (): Waiting => ({ keys: new Map(), underWay: undefined, last: { startedAt: 0, runs: 0 } }),
);

/**
 * Progresses workflow runs in the background, many in one transaction: what is told while one is under way, or while a
 * busy service rests, goes into the next. Call it after the commit. Nobody waits for it; what fails here the
 * reconciliation does.
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

/** Comes back when nothing is left to be progressed by this instance. Answers whether there was something. */
export async function whenProgressed(ctx: Ctx): Promise<boolean> {
  const isUnderWay = waitingOf(ctx).underWay !== undefined;
  while (waitingOf(ctx).underWay) await waitingOf(ctx).underWay;
  return isUnderWay;
}

async function progressAll(ctx: Ctx): Promise<void> {
  const waiting = waitingOf(ctx);
  const { keys } = waiting;
  await rest(waiting);
  while (keys.size > 0) {
    const batch = [...keys.values()].slice(0, MOST_AT_ONCE);
    for (const { workflow_run_id } of batch) keys.delete(workflow_run_id);
    waiting.last = { startedAt: performance.now(), runs: batch.length };
    await progressBatch(ctx, batch);
    if (keys.size > 0) await rest(waiting);
  }
}

function rest({ keys, last }: Waiting): Promise<void> {
  const isBusy = last.runs >= BUSY_RUNS && keys.size < MOST_AT_ONCE;
  const leftMs = isBusy ? last.startedAt + REST_MS - performance.now() : 0;
  // What is told in the same turn of the event loop is done together.
  return new Promise((resolve) => (leftMs < 1 ? setImmediate(resolve) : setTimeout(resolve, leftMs)));
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
    tellFailure(ctx, error, { workflow_runs: batch.length, first: batch[0] }, "workflow runs were not progressed");
  }
}

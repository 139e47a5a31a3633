import { setTimeout as pause } from "node:timers/promises";
import { type Coalescer, coalesce } from "../flow/coalesce.ts";
import type { ClaimedRun } from "../flow/runs/claim/claimed-run.ts";
import type { LeasedRun, Outcome } from "../flow/runs/dispatch/outcome.ts";
import { type Settling, settleRuns } from "../flow/runs/settle/settle-runs.ts";
import type { Ctx } from "../platform/context.ts";
import { isDataError } from "../platform/database/database-errors.ts";

export type Settler = { settle: (run: ClaimedRun, outcome: Outcome) => Promise<void> };

type ClaimedSettling = Settling & { run: ClaimedRun };

const MAX_BATCH = 500;
const FLUSH_INTERVAL_MS = 8;
/**
 * Above 400 runs/s, three times as many ends share a commit. Not those for which something waits: a slot of a limit, a
 * workflow's next step.
 */
const WHEN_BUSY = {
  intervalMs: 24,
  perSec: 400,
  isUrgent: ({ run, outcome }: ClaimedSettling) =>
    run.slots !== null || run.workflow_run_id !== null || outcome.kind !== "completed",
};
const RETRY_MS = 250;

/**
 * Settles outcomes in batches. If the database rejects the values of one outcome, only that one fails. While the
 * database is unreachable an outcome is kept in memory and retried, until its lease is lost: then another instance has
 * the run.
 */
export function openSettler(ctx: Ctx, isHeld: (run: LeasedRun) => boolean): Settler {
  const coalescer: Coalescer<ClaimedSettling, boolean> = coalesce({
    flush: (settlings) => settleRuns(ctx, settlings),
    max: MAX_BATCH,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    whenBusy: WHEN_BUSY,
    isCausedByItem: isDataError,
  });

  async function settle(run: ClaimedRun, outcome: Outcome): Promise<void> {
    let given = outcome;
    while (isHeld(run)) {
      try {
        await coalescer.add({ run, outcome: given });
        return;
      } catch (error) {
        if (isDataError(error) && given.kind === "completed") given = rejected(error as Error);
        else await pause(RETRY_MS);
      }
    }
  }

  return { settle };
}

function rejected({ message }: Error): Outcome {
  return {
    kind: "failed",
    retryable: false,
    error: { code: "result_rejected", message: `The result could not be stored: ${message}` },
  };
}

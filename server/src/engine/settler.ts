import { setTimeout as pause } from "node:timers/promises";
import { type Coalescer, coalesce } from "../flow/coalesce.ts";
import type { LeasedRun, Outcome } from "../flow/runs/dispatch/outcome.ts";
import { type Settling, settleRuns } from "../flow/runs/settle/settle-runs.ts";
import type { Ctx } from "../platform/context.ts";
import { isDataError } from "../platform/database/database-errors.ts";

export type Settler = { settle: (run: LeasedRun, outcome: Outcome) => Promise<void> };

const MAX_AT_ONCE = 500;
const FLUSH_INTERVAL_MS = 8;
const TRY_AGAIN_MS = 250;

/**
 * Settles outcomes in batches. If the database rejects the values of one outcome, only that one fails. While the
 * database is unreachable an outcome is kept in memory and retried, until its lease is lost: then another instance has
 * the run.
 */
export function openSettler(ctx: Ctx, isHeld: (run: LeasedRun) => boolean): Settler {
  const group: Coalescer<Settling, boolean> = coalesce({
    flush: (settlings) => settleRuns(ctx, settlings),
    max: MAX_AT_ONCE,
    parallel: 1,
    flushIntervalMs: FLUSH_INTERVAL_MS,
    isItemsIssue: isDataError,
  });

  async function settle(run: LeasedRun, outcome: Outcome): Promise<void> {
    let given = outcome;
    while (isHeld(run)) {
      try {
        await group.add({ run, outcome: given });
        return;
      } catch (error) {
        if (isDataError(error) && given.kind === "completed") given = rejected(error as Error);
        else await pause(TRY_AGAIN_MS);
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

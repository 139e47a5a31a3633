import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { overBudget } from "../../budget/over-budget.ts";
import type { TriggerResult } from "../create/trigger-result.ts";
import { triggerWithin } from "../create/trigger-runs.ts";
import { type PreparedReplay, prepareReplays, type ReplayOrder } from "./prepare-replays.ts";
import { lockOriginals, noteReplays } from "./replay-originals.ts";

type ManyToReplay = ReplayOrder & { run_ids: readonly string[] };

/** The new run, or the reason why there is none. */
export type ReplayOutcome = { replayed_as: string } | { apiError: ApiError };

const MAX_TRIES = 5;

/** Like `replayRun`, for many in the caller's transaction: a refused one fails alone. */
export async function replayRuns(
  tx: Ctx & InTransaction,
  order: ManyToReplay,
): Promise<ReadonlyMap<string, ReplayOutcome>> {
  const originals = await lockOriginals(tx, order.project_id, order.run_ids);
  const outcomes = new Map<string, ReplayOutcome>();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const left = originals.filter(({ id }) => !outcomes.has(id));
    if (left.length === 0) break;
    const { prepared, refused } = await prepareReplays(tx, order, left);
    for (const [id, apiError] of refused) outcomes.set(id, { apiError });
    const results = await triggerWithin(
      tx,
      prepared.map(({ run }) => run),
    );
    settle(prepared, results, outcomes);
  }
  for (const { id } of originals) if (!outcomes.has(id)) outcomes.set(id, { apiError: changing() });
  await noteReplays(tx, order.project_id, replaysOf(outcomes));
  return outcomes;
}

/** Those whose job has changed meanwhile are retried. */
function settle(
  prepared: readonly PreparedReplay[],
  results: readonly TriggerResult[],
  outcomes: Map<string, ReplayOutcome>,
): void {
  prepared.forEach(({ original }, nth) => {
    const result = results[nth];
    if (result?.kind === "created") outcomes.set(original.id, { replayed_as: result.run.id });
    if (result?.kind === "over_budget") outcomes.set(original.id, { apiError: overBudget(result) });
  });
}

function replaysOf(outcomes: ReadonlyMap<string, ReplayOutcome>) {
  return [...outcomes].flatMap(([run_id, outcome]) =>
    "replayed_as" in outcome ? [{ run_id, replayed_by: outcome.replayed_as }] : [],
  );
}

function changing(): ApiError {
  return new ApiError("conflict", "The job keeps changing. Try again.");
}

import { type Actor, createdBy } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import { overBudget, previewBudget } from "../../budget/reserve-budget.ts";
import type { NewRun, TriggerResult } from "../create/new-run.ts";
import { prepareRun, type Trigger } from "../create/prepare-run.ts";
import { triggerWithin } from "../create/trigger-runs.ts";
import { findTriggerableJob, type TriggerableJob } from "../create/triggerable-job.ts";
import type { RunKey } from "../lock-runs.ts";
import {
  inheritedFields,
  lockOriginals,
  type Original,
  readOriginals,
  recordReplays,
  refuseReplay,
} from "./replay-originals.ts";

type ReplayRequest = {
  project_id: string;
  by: Actor;
  /** In place of the values of each run. */
  edits?: Pick<Trigger, "payload" | "metadata" | "tags">;
  /** Null: it is not part of a batch. */
  batch_id: string | null;
  /** Only those that are in the dead-letter queue. */
  isDeadLetters: boolean;
};

type PreparedReplay = { original: Original; run: NewRun };

type Replay<C extends Ctx> = {
  by: Actor;
  /** In place of the run's own values. */
  edits: NonNullable<ReplayRequest["edits"]>;
  /** Committed together with the new run. */
  alongside: (tx: C & InTransaction, replay: { run_id: string }) => Promise<void>;
};

/** The new run, or the reason why there is none. */
export type ReplayOutcome = { replayed_as: string } | { apiError: ApiError };

const MAX_TRIES = 5;

/**
 * Replays an ended run as a new run of the job's current version. A dead letter leaves the dead-letter queue in the
 * same transaction, so it is replayed once; any other run may be replayed any number of times. Undefined: there is no
 * such run.
 */
export async function replayRun<C extends Ctx>(
  ctx: C,
  { project_id, run_id }: RunKey,
  { by, edits, alongside }: Replay<C>,
): Promise<string | undefined> {
  return inTransaction(ctx, async (tx) => {
    const request = { project_id, run_ids: [run_id], by, edits, batch_id: null, isDeadLetters: false };
    const outcome = (await replayRuns(tx, request)).get(run_id);
    if (!outcome) return undefined;
    if ("apiError" in outcome) throw outcome.apiError;
    await alongside(tx, { run_id: outcome.replayed_as });
    return outcome.replayed_as;
  });
}

/** Replays many runs in the caller's transaction, as `replayRun` does: a refused one fails alone. */
export async function replayRuns(
  tx: Ctx & InTransaction,
  request: ReplayRequest & { run_ids: readonly string[] },
): Promise<ReadonlyMap<string, ReplayOutcome>> {
  const originals = await lockOriginals(tx, request.project_id, request.run_ids);
  const outcomes = new Map<string, ReplayOutcome>();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const left = originals.filter(({ id }) => !outcomes.has(id));
    if (left.length === 0) break;
    const { prepared, refused } = await prepareReplays(tx, request, left);
    for (const [id, apiError] of refused) outcomes.set(id, { apiError });
    const results = await triggerWithin(
      tx,
      prepared.map(({ run }) => run),
    );
    collectOutcomes(prepared, results, outcomes);
  }
  const apiError = new ApiError("conflict", "The job keeps changing. Try again.");
  for (const { id } of originals) if (!outcomes.has(id)) outcomes.set(id, { apiError });
  const replays = [...outcomes].flatMap(([run_id, outcome]) =>
    "replayed_as" in outcome ? [{ run_id, replayed_by: outcome.replayed_as }] : [],
  );
  await recordReplays(tx, request.project_id, replays);
  return outcomes;
}

/** Those whose job has changed meanwhile are retried. */
function collectOutcomes(
  prepared: readonly PreparedReplay[],
  results: readonly TriggerResult[],
  outcomes: Map<string, ReplayOutcome>,
): void {
  prepared.forEach(({ original }, index) => {
    const result = results[index];
    if (result?.kind === "created") outcomes.set(original.id, { replayed_as: result.run.id });
    if (result?.kind === "over_budget") outcomes.set(original.id, { apiError: overBudget(result) });
  });
}

/** For each, the new run of the job's current version, or the reason why there is none. */
async function prepareReplays(
  ctx: Ctx,
  request: ReplayRequest,
  originals: readonly Original[],
): Promise<{ prepared: PreparedReplay[]; refused: Map<string, ApiError> }> {
  const jobs = new Map<string, TriggerableJob | undefined>();
  for (const job_id of new Set(originals.map((each) => each.job_id))) {
    jobs.set(job_id, await findTriggerableJob(ctx, request.project_id, job_id));
  }
  const refused = new Map<string, ApiError>();
  const prepared: PreparedReplay[] = [];
  for (const original of originals) {
    try {
      prepared.push({ original, run: prepareOne(request, original, jobs.get(original.job_id)) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.set(original.id, error);
    }
    await yieldToEventLoop();
  }
  return { prepared, refused };
}

function prepareOne(request: ReplayRequest, original: Original, job: TriggerableJob | undefined): NewRun {
  refuseReplay(original, request.edits?.payload);
  if (request.isDeadLetters && original.dead_lettered_at === null)
    throw new ApiError("not_dead_lettered", "The run is not in the dead-letter queue.");
  if (!job) throw new ApiError("job_deleted", "The job of this run was deleted.");
  const { by, batch_id, edits } = request;
  return prepareRun(job, {
    ...inheritedFields(original),
    ...edits,
    ...createdBy(by),
    batch_id,
    trigger_type: "replay",
  });
}

type Requested = { project_id: string; run_ids: readonly string[]; by: Actor };

/**
 * What `replayRuns` would return now, checked in the same order, without locks or changes: for each existing run the
 * reason why it would not be replayed, or null.
 */
export async function previewReplays(
  ctx: Ctx,
  { run_ids, ...requested }: Requested,
): Promise<Map<string, ApiError | null>> {
  const originals = await readOriginals(ctx, requested.project_id, run_ids);
  const request = { ...requested, batch_id: null, isDeadLetters: false };
  const { prepared, refused } = await prepareReplays(ctx, request, originals);
  const overs = await previewBudget(
    ctx,
    prepared.map(({ run }) => run),
  );
  const preview = new Map<string, ApiError | null>(refused);
  for (const { original, run } of prepared) {
    const over = overs.get(run);
    preview.set(original.id, over ? overBudget(over) : null);
  }
  return preview;
}

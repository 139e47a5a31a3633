import type { Ctx, InTransaction } from "../platform/context.ts";
import { Refusal } from "../platform/errors.ts";
import type { NewRun } from "./new-run.ts";
import { overBudget } from "./over-budget.ts";
import { prepareRun } from "./prepare-run.ts";
import { keptOf, lockOriginals, noteReplays, type Original, refuseReplay } from "./replay-originals.ts";
import { type Triggered, triggerWithin } from "./trigger-runs.ts";
import { findTriggerableJob, type TriggerableJob } from "./triggerable-job.ts";

export type ManyToReplay = {
  project_id: string;
  run_ids: readonly string[];
  by: string;
  batch_id: string;
  /** Only those that are on the dead-letter list. */
  isDeadLetters: boolean;
};

/** The new run, or why there is none. */
export type ReplayOutcome = { replayed_as: string } | { refusal: Refusal };

type Attempt = { original: Original; run: NewRun };

const MAX_TRIES = 5;

/**
 * As `replayRun`, for many in the caller's transaction: one that is refused fails alone. Announce what was triggered
 * after the commit.
 */
export async function replayRuns(tx: Ctx & InTransaction, order: ManyToReplay) {
  const originals = await lockOriginals(tx, order.project_id, order.run_ids);
  const outcomes = new Map<string, ReplayOutcome>();
  const triggered: Triggered[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const left = originals.filter(({ id }) => !outcomes.has(id));
    if (left.length === 0) break;
    const attempts = await prepareAll(tx, order, left, outcomes);
    const born = await triggerWithin(
      tx,
      attempts.map(({ run }) => run),
    );
    triggered.push(born);
    settle(attempts, born, outcomes);
  }
  for (const { id } of originals) if (!outcomes.has(id)) outcomes.set(id, { refusal: changing() });
  await noteReplays(tx, order.project_id, replaysOf(outcomes));
  return { outcomes, triggered };
}

async function prepareAll(
  tx: Ctx & InTransaction,
  order: ManyToReplay,
  originals: readonly Original[],
  outcomes: Map<string, ReplayOutcome>,
): Promise<Attempt[]> {
  const jobs = new Map<string, TriggerableJob | undefined>();
  for (const job_id of new Set(originals.map((each) => each.job_id))) {
    jobs.set(job_id, await findTriggerableJob(tx, order.project_id, job_id));
  }
  return originals.flatMap((original) => {
    try {
      return [{ original, run: prepareOne(order, original, jobs.get(original.job_id)) }];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcomes.set(original.id, { refusal: error });
      return [];
    }
  });
}

function prepareOne(order: ManyToReplay, original: Original, job: TriggerableJob | undefined): NewRun {
  refuseReplay(original);
  if (order.isDeadLetters && original.dead_lettered_at === null)
    throw new Refusal("not_dead_lettered", "The run is not on the dead-letter list.");
  if (!job) throw new Refusal("job_deleted", "The job of this run was deleted.");
  const { by: created_by, batch_id } = order;
  return prepareRun(job, { ...keptOf(original), created_by, batch_id, trigger_type: "replay" });
}

/** Those whose job has changed meanwhile are left for another try. */
function settle(attempts: readonly Attempt[], { results }: Triggered, outcomes: Map<string, ReplayOutcome>): void {
  attempts.forEach(({ original }, nth) => {
    const result = results[nth];
    if (result?.kind === "created") outcomes.set(original.id, { replayed_as: result.run.id });
    if (result?.kind === "over_budget") outcomes.set(original.id, { refusal: overBudget(result) });
  });
}

function replaysOf(outcomes: ReadonlyMap<string, ReplayOutcome>) {
  return [...outcomes].flatMap(([run_id, outcome]) =>
    "replayed_as" in outcome ? [{ run_id, replayed_by: outcome.replayed_as }] : [],
  );
}

function changing(): Refusal {
  return new Refusal("conflict", "The job is being changed right now.");
}

import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Enqueued, enqueueRuns } from "../enqueue-runs.ts";
import type { NewRun } from "../new-run.ts";
import { reserveBudget } from "../reserve-budget.ts";
import { chooseStarts, releaseStarts, type Starts } from "../start-here.ts";
import type { Settled } from "../trigger-result.ts";
import { findTriggerableJob } from "../triggerable-job.ts";
import type { WaitNews } from "../waits/news.ts";
import { loadOutputs } from "./load-outputs.ts";
import { neededOutputs } from "./needed-outputs.ts";
import { planRun } from "./plan-run.ts";
import { type RunInHand, stepOf } from "./run-in-hand.ts";
import { type JobStart, startSteps } from "./start-steps.ts";

/** Runs that were born for steps; those in `starts` are this instance's to start, after the commit. */
type BornRuns = { runs: NewRun[]; starts: Starts; enqueued: Enqueued };

/** What was done beside the hands, to be told after the commit, or taken back should there be none. */
export type Aside = { born: BornRuns[]; news: WaitNews[] };

export function emptyAside(): Aside {
  return { born: [], news: [] };
}

/** Nothing was born after all: the slots that were kept are free. */
export function giveBack(ctx: Ctx, aside: Aside): void {
  for (const { runs, starts } of aside.born.splice(0)) releaseStarts(ctx, runs, starts);
  aside.news = [];
}

/**
 * Takes workflow runs in hand as far as they go by themselves: plans, starts what is ready, and plans again where a
 * step came to its end at once. What is left to be written is in the hands.
 */
export async function advanceRuns(
  tx: Ctx & InTransaction,
  hands: readonly RunInHand[],
  heldKeys: ReadonlySet<string>,
  aside: Aside,
): Promise<void> {
  let open = hands;
  while (open.length > 0) {
    const jobs = await planAndStart(tx, open, heldKeys, aside);
    const live = jobs.filter(({ hand }) => hand.end === null);
    for (const { hand, step_ref } of jobs.filter(({ hand }) => hand.end !== null)) takeBack(hand, step_ref);
    const stale = await bear(tx, live, aside);
    open = [...new Set(stale.map(({ hand }) => hand))];
  }
}

/** Answers the runs to be born. A run that comes to its end meanwhile starts nothing. */
async function planAndStart(
  tx: Ctx & InTransaction,
  hands: readonly RunInHand[],
  heldKeys: ReadonlySet<string>,
  aside: Aside,
): Promise<JobStart[]> {
  const jobs: JobStart[] = [];
  for (let open = hands; open.length > 0; ) {
    const wanted = open.map((hand) => ({ hand, refs: neededOutputs(hand.version.definition, hand.steps) }));
    await loadOutputs(tx, wanted);
    const asked = open.flatMap((hand) => planRun(hand).map((start) => ({ hand, start })));
    const started = await startSteps(tx, asked, heldKeys);
    jobs.push(...started.jobs);
    aside.news.push(...started.news);
    open = [...started.again];
  }
  return jobs;
}

/** Answers those that were not born: their job has changed since they were prepared. They are planned again. */
async function bear(tx: Ctx & InTransaction, jobs: JobStart[], aside: Aside): Promise<JobStart[]> {
  const affordable = await withinBudget(tx, jobs);
  if (affordable.length === 0) return [];
  const runs = affordable.map(({ run }) => run);
  const starts = chooseStarts(tx, runs);
  const enqueued = await enqueueRuns(tx, runs, starts).catch((error) => {
    releaseStarts(tx, runs, starts);
    throw error;
  });
  aside.born.push({ runs, starts, enqueued });
  const stale = affordable.filter(({ run }) => !enqueued.runs.has(run.id));
  for (const { hand, step_ref, run } of stale) {
    takeBack(hand, step_ref);
    await findTriggerableJob(tx, run.project_id, run.job_id); // what is cached is older than what was just refused
  }
  return stale;
}

/** A step for which there is no money stays pending: the reconciliation tries it again. */
async function withinBudget(tx: Ctx & InTransaction, jobs: JobStart[]): Promise<JobStart[]> {
  const settled: Settled = new Map();
  await reserveBudget(
    tx,
    jobs.map(({ run }) => run),
    settled,
  );
  for (const { hand, step_ref } of jobs.filter(({ run }) => settled.has(run))) takeBack(hand, step_ref);
  return jobs.filter(({ run }) => !settled.has(run));
}

function takeBack(hand: RunInHand, step_ref: string): void {
  const step = stepOf(hand, step_ref);
  step.status = "pending";
  step.run_id = null;
  hand.decisions = hand.decisions.filter((each) => each.step_ref !== step_ref || each.decision_type !== "start");
}

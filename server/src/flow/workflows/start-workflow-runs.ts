import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Repeated, takeIdempotencyKeys } from "../take-idempotency-keys.ts";
import { advanceRuns } from "./advance-runs.ts";
import { announceProgress, type Progressed, WORKFLOWS_DUE_TOPIC } from "./announce-progress.ts";
import { type Aside, emptyAside, giveBack } from "./aside.ts";
import { bearWorkflowRuns } from "./bear-workflow-runs.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import { newHand } from "./new-hand.ts";
import type { NewWorkflowRun, WorkflowBirth, WorkflowTriggerResult } from "./new-workflow-run.ts";
import { endOf } from "./planned-end.ts";
import { progressSoon } from "./progress-soon.ts";
import type { RunInHand } from "./run-in-hand.ts";

export type StartedWorkflowRuns = {
  results: WorkflowTriggerResult[];
  hands: RunInHand[];
  aside: Aside;
  progressed: Progressed;
};

/** Starts many workflow runs in one commit, their first steps with them, and answers for each. */
export async function startWorkflowRuns(
  ctx: Ctx,
  newRuns: readonly NewWorkflowRun[],
): Promise<WorkflowTriggerResult[]> {
  const stale = new Set<string>();
  for (;;) {
    const aside = emptyAside();
    try {
      const started = await inTransaction(ctx, async (tx) => {
        giveBack(ctx, aside); // the transaction may be run again
        return startWithin(tx, newRuns, stale, aside);
      });
      announceStarted(ctx, started);
      return started.results;
    } catch (error) {
      giveBack(ctx, aside);
      if (!(error instanceof StaleWorkflows)) throw error;
      for (const id of error.ids) stale.add(id);
    }
  }
}

/** The same in a transaction of the caller's, who announces them after its commit. */
export async function startWorkflowRunsWithin(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
): Promise<StartedWorkflowRuns> {
  const aside = emptyAside();
  try {
    return await startWithin(tx, newRuns, new Set(), aside);
  } catch (error) {
    giveBack(tx, aside);
    throw error;
  }
}

/** After the commit. */
export function announceStarted(ctx: Ctx, { hands, aside, progressed, results }: StartedWorkflowRuns): void {
  announceProgress(ctx, progressed, aside);
  // Those that wait for a slot, or for an event whose key is to be locked first.
  if (results.filter(({ kind }) => kind === "created").length > hands.length) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
  const deferred = hands.filter((hand) => hand.deferred.size > 0);
  progressSoon(
    ctx,
    deferred.map(({ run }) => ({ project_id: run.project_id, workflow_run_id: run.id })),
  );
}

/** Workflows that were changed since their runs were prepared. The transaction is undone. */
export class StaleWorkflows extends Error {
  readonly ids: readonly string[];
  constructor(ids: readonly string[]) {
    super("the workflow has changed meanwhile");
    this.ids = ids;
  }
}

async function startWithin(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
  stale: ReadonlySet<string>,
  aside: Aside,
): Promise<StartedWorkflowRuns> {
  const repeated = new Map<NewWorkflowRun, Repeated>();
  const fresh = newRuns.filter((run) => !stale.has(run.id));
  if (fresh.some((run) => run.idempotency_key !== null)) await takeIdempotencyKeys(tx, fresh, repeated);
  const left = fresh.filter((run) => !repeated.has(run));
  const hands: RunInHand[] = [];
  for (const run of left.filter(startsAtOnce)) hands.push(await newHand(tx, run));
  await advanceRuns(tx, hands, new Set(), aside);
  const births = await bearWorkflowRuns(tx, left, hands, fundedOf(aside));
  if (births.size < left.length) throw new StaleWorkflows(left.map(({ id }) => id).filter((id) => !births.has(id)));
  for (const { run } of hands.filter((hand) => hand.end !== null)) births.delete(run.id);
  const told = await endWorkflowRuns(tx, hands.flatMap(endOf));
  const changed = left.map(({ project_id, id }) => ({ project_id, workflow_run_id: id }));
  const results = newRuns.map((run) => resultOf(run, stale, { repeated, births }));
  const has_effects = told.has_effects || hands.some((hand) => hand.effects.length > 0);
  return { results, hands, aside, progressed: { ...told, changed, has_effects } };
}

function fundedOf({ born }: Aside): Set<string> {
  const runs = born.flatMap((each) => each.runs).filter((run) => run.reserved_microusd !== undefined);
  return new Set(runs.flatMap((run) => run.workflow_run_id ?? []));
}

function startsAtOnce(run: NewWorkflowRun): boolean {
  return !run.is_limited && run.scheduled_at === null && !run.delay_secs;
}

function resultOf(
  run: NewWorkflowRun,
  stale: ReadonlySet<string>,
  { repeated, births }: { repeated: Map<NewWorkflowRun, Repeated>; births: Map<string, WorkflowBirth> },
): WorkflowTriggerResult {
  if (stale.has(run.id)) return { kind: "stale" };
  const before = repeated.get(run);
  if (before?.kind === "conflict") return before;
  if (before) return { kind: "existing", workflow_run_id: before.run_id };
  return { kind: "created", workflow_run_id: run.id, birth: births.get(run.id) ?? null };
}

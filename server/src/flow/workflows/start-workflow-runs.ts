import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Repeated, takeIdempotencyKeys } from "../take-idempotency-keys.ts";
import { advanceRuns } from "./advance-runs.ts";
import { type AfterCommit, discardAfterCommit, emptyAfterCommit } from "./after-commit.ts";
import { createWorkflowRuns } from "./create-workflow-runs.ts";
import { endWorkflowRuns } from "./end-workflow-runs.ts";
import type { LoadedRun } from "./loaded-run.ts";
import { newLoadedRun } from "./new-loaded-run.ts";
import type { CreatedWorkflowRun, NewWorkflowRun, WorkflowTriggerResult } from "./new-workflow-run.ts";
import { notifyProgress, type Progressed, WORKFLOWS_DUE_TOPIC } from "./notify-progress.ts";
import { endOf } from "./planned-end.ts";
import { progressSoon } from "./progress-soon.ts";
import { keepLimits } from "./workflow-slots.ts";

export type StartedWorkflowRuns = {
  results: WorkflowTriggerResult[];
  runs: LoadedRun[];
  afterCommit: AfterCommit;
  progressed: Progressed;
};

/** Starts many workflow runs with their first steps in one commit, and returns a result for each. */
export async function startWorkflowRuns(
  ctx: Ctx,
  newRuns: readonly NewWorkflowRun[],
): Promise<WorkflowTriggerResult[]> {
  const stale = new Set<string>();
  for (;;) {
    const afterCommit = emptyAfterCommit();
    try {
      const started = await inTransaction(ctx, async (tx) => {
        discardAfterCommit(ctx, afterCommit); // the transaction may be retried
        return startWithin(tx, newRuns, stale, afterCommit);
      });
      notifyStarted(ctx, started);
      return started.results;
    } catch (error) {
      discardAfterCommit(ctx, afterCommit);
      if (!(error instanceof StaleWorkflows)) throw error;
      for (const id of error.ids) stale.add(id);
    }
  }
}

/** The same in the caller's transaction; the caller publishes them after its commit. */
export async function startWorkflowRunsWithin(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
): Promise<StartedWorkflowRuns> {
  const afterCommit = emptyAfterCommit();
  try {
    return await startWithin(tx, newRuns, new Set(), afterCommit);
  } catch (error) {
    discardAfterCommit(tx, afterCommit);
    throw error;
  }
}

/** After the commit. */
export function notifyStarted(ctx: Ctx, { runs, afterCommit, progressed, results }: StartedWorkflowRuns): void {
  notifyProgress(ctx, progressed, afterCommit);
  // Those that wait for a slot, or for an event whose key must be locked first.
  if (results.filter(({ kind }) => kind === "created").length > runs.length) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
  const deferred = runs.filter((loaded) => loaded.deferred.size > 0);
  progressSoon(
    ctx,
    deferred.map(({ run }) => ({ project_id: run.project_id, workflow_run_id: run.id })),
  );
}

/** Workflows that were changed since their runs were prepared. The transaction is rolled back. */
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
  afterCommit: AfterCommit,
): Promise<StartedWorkflowRuns> {
  const repeated = new Map<NewWorkflowRun, Repeated>();
  const fresh = newRuns.filter((run) => !stale.has(run.id));
  if (fresh.some((run) => run.idempotency_key !== null)) await takeIdempotencyKeys(tx, fresh, repeated);
  const left = fresh.filter((run) => !repeated.has(run));
  const runs: LoadedRun[] = [];
  for (const run of left.filter(startsAtOnce)) runs.push(await newLoadedRun(tx, run));
  await advanceRuns(tx, runs, new Set(), afterCommit);
  // Pipelined: whether the workflow has changed is read once its limit is kept.
  const [, created] = await Promise.all([
    runs.length > 0 &&
      keepLimits(
        tx,
        runs.map((loaded) => loaded.run),
      ),
    createWorkflowRuns(tx, left, runs, fundedOf(afterCommit)),
  ]);
  if (created.size < left.length) throw new StaleWorkflows(left.map(({ id }) => id).filter((id) => !created.has(id)));
  for (const { run } of runs.filter((loaded) => loaded.end !== null)) created.delete(run.id);
  const ended = await endWorkflowRuns(tx, runs.flatMap(endOf));
  const changed = left.map(({ project_id, id }) => ({ project_id, workflow_run_id: id }));
  const results = newRuns.map((run) => resultOf(run, stale, { repeated, created }));
  const has_outbox_entries = ended.has_outbox_entries || runs.some((loaded) => loaded.outbox.length > 0);
  return { results, runs, afterCommit, progressed: { ...ended, changed, has_outbox_entries } };
}

function fundedOf({ created }: AfterCommit): Set<string> {
  const runs = created.flatMap((each) => each.runs).filter((run) => run.reserved_microusd !== undefined);
  return new Set(runs.flatMap((run) => run.workflow_run_id ?? []));
}

function startsAtOnce(run: NewWorkflowRun): boolean {
  return !run.is_limited && run.scheduled_at === null && !run.delay_secs;
}

function resultOf(
  run: NewWorkflowRun,
  stale: ReadonlySet<string>,
  { repeated, created }: { repeated: Map<NewWorkflowRun, Repeated>; created: Map<string, CreatedWorkflowRun> },
): WorkflowTriggerResult {
  if (stale.has(run.id)) return { kind: "stale" };
  const before = repeated.get(run);
  if (before?.kind === "conflict") return before;
  if (before) return { kind: "existing", workflow_run_id: before.run_id };
  return { kind: "created", workflow_run_id: run.id, created: created.get(run.id) ?? null };
}

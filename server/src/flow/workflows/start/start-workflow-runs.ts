import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wake.ts";
import { type Repeated, takeIdempotencyKeys } from "../../runs/create/find-existing.ts";
import { notifyWorkflowRuns, WORKFLOWS_DUE_TOPIC } from "../notify-workflow-runs.ts";
import { advanceRuns } from "../progress/advance-runs.ts";
import { endWorkflowRuns } from "../progress/end-workflow-runs.ts";
import type { LoadedRun } from "../progress/loaded-run.ts";
import { endOf } from "../progress/planned-end.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import { createWorkflowRuns } from "./create-workflow-runs.ts";
import { newLoadedRun } from "./new-loaded-run.ts";
import type { CreatedWorkflowRun, NewWorkflowRun, WorkflowTriggerResult } from "./new-workflow-run.ts";
import { lockLimitsShared } from "./workflow-slots.ts";

/** Starts many workflow runs with their first steps in one commit, and returns a result for each. */
export async function startWorkflowRuns(
  ctx: Ctx,
  newRuns: readonly NewWorkflowRun[],
): Promise<WorkflowTriggerResult[]> {
  const stale = new Set<string>();
  for (;;) {
    try {
      return await inTransaction(ctx, (tx) => startWorkflowRunsWithin(tx, newRuns, stale));
    } catch (error) {
      if (!(error instanceof StaleWorkflows)) throw error;
      for (const id of error.ids) stale.add(id);
    }
  }
}

/** Workflows that were changed since their runs were prepared. The transaction is rolled back. */
export class StaleWorkflows extends Error {
  readonly ids: readonly string[];
  constructor(ids: readonly string[]) {
    super("the workflow has changed meanwhile");
    this.ids = ids;
  }
}

/** The same in the caller's transaction. `stale`: those of workflows that have changed are not started. */
export async function startWorkflowRunsWithin(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
  stale: ReadonlySet<string> = new Set(),
): Promise<WorkflowTriggerResult[]> {
  const repeated = new Map<NewWorkflowRun, Repeated>();
  const fresh = newRuns.filter((run) => !stale.has(run.id));
  if (fresh.some((run) => run.idempotency_key !== null)) await takeIdempotencyKeys(tx, fresh, repeated);
  const left = fresh.filter((run) => !repeated.has(run));
  const runs: LoadedRun[] = [];
  for (const run of left.filter(startsAtOnce)) runs.push(await newLoadedRun(tx, run));
  await advanceRuns(tx, runs, new Set());
  const created = await createAll(tx, left, runs);
  if (created.size < left.length) throw new StaleWorkflows(left.map(({ id }) => id).filter((id) => !created.has(id)));
  for (const { run } of runs.filter((loaded) => loaded.end !== null)) created.delete(run.id);
  await endWorkflowRuns(tx, runs.flatMap(endOf));
  notifyWorkflowRuns(tx, left.map(keyOf));
  // Those that wait for a slot, or for an event whose key must be locked first.
  if (left.length > runs.length) wake(tx, WORKFLOWS_DUE_TOPIC);
  progressSoon(
    tx,
    runs.filter((loaded) => loaded.deferred.size > 0).map(({ run }) => keyOf(run)),
  );
  return newRuns.map((run) => resultOf(run, stale, { repeated, created }));
}

/** Pipelined: whether a workflow has changed is read once the lock of its limit is held. */
async function createAll(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
  started: readonly LoadedRun[],
): Promise<Map<string, CreatedWorkflowRun>> {
  const workflows = started.map(({ run }) => run);
  const [, created] = await Promise.all([
    workflows.length > 0 && lockLimitsShared(tx, workflows),
    createWorkflowRuns(tx, newRuns, started),
  ]);
  return created;
}

function keyOf({ project_id, id }: { project_id: string; id: string }): WorkflowRunKey {
  return { project_id, workflow_run_id: id };
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

import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { claimIdempotencyKeys, type Repeated } from "../../runs/create/claim-idempotency-keys.ts";
import { advanceRuns } from "../progress/advance-runs.ts";
import { endWorkflowRuns } from "../progress/end-workflow-runs.ts";
import type { LoadedRun } from "../progress/loaded-run.ts";
import { endOf } from "../progress/progress-runs.ts";
import { progressSoon } from "../progress/progress-soon.ts";
import { notifyWorkflowRuns, WORKFLOWS_DUE_TOPIC, type WorkflowRunKey } from "../workflow-run-changes.ts";
import type { WorkflowRunRow } from "../workflow-run-columns.ts";
import { createWorkflowRuns, newLoadedRun } from "./create-workflow-runs.ts";
import type { CreatedWorkflowRun, NewWorkflowRun, WorkflowTriggerResult } from "./new-workflow-run.ts";
import { lockLimitsShared } from "./workflow-slots.ts";

export type TriggeredWorkflow =
  | Exclude<WorkflowTriggerResult, { kind: "created" }>
  | { kind: "created"; run: WorkflowRunRow };

/** The fields of a newly created run that its trigger did not contain. */
type CreatedFields = Pick<
  WorkflowRunRow,
  | "status"
  | "phase"
  | "error"
  | "error_count"
  | "timeout_secs"
  | "scheduled_at"
  | "started_at"
  | "deadline"
  | "paused_at"
  | "finished_at"
  | "created_at"
  | "updated_at"
>;

/**
 * Starts many workflow runs in one commit and returns each in its current state: one whose steps all end at once has
 * ended.
 */
export async function triggerWorkflowRuns(ctx: Ctx, newRuns: readonly NewWorkflowRun[]): Promise<TriggeredWorkflow[]> {
  const results = await startWorkflowRuns(ctx, newRuns);
  const ended = await readEnded(
    ctx,
    newRuns.filter((_, index) => isEnded(results[index])),
  );
  return newRuns.map((run, index) => {
    const result = results[index];
    if (result?.kind !== "created") return result ?? { kind: "stale" };
    const created = result.created
      ? { ...UNTOUCHED, ...result.created, updated_at: result.created.created_at }
      : ended.get(run.id);
    if (!created) throw new Error(`workflow run ${run.id} was created and cannot be found`);
    return { kind: "created", run: presentNewWorkflowRun(run, created) };
  });
}

function isEnded(result: WorkflowTriggerResult | undefined): boolean {
  return result?.kind === "created" && result.created === null;
}

const UNTOUCHED = { phase: null, error: null, error_count: 0, paused_at: null, finished_at: null };

/** A run as created, without reading back what was sent. */
export function presentNewWorkflowRun(run: NewWorkflowRun, created: CreatedFields): WorkflowRunRow {
  const {
    workflow_revision: _,
    is_limited: _limited,
    body_hash: _hash,
    delay_secs: _delay,
    canary_id: _canary,
    parent_generation: _generation,
    cancel_keys: _keys,
    ...shown
  } = run;
  return { ...shown, ...created };
}

async function readEnded(ctx: Ctx, newRuns: readonly NewWorkflowRun[]): Promise<Map<string, CreatedFields>> {
  if (newRuns.length === 0) return new Map();
  const keys = newRuns.map(({ project_id, id }) => ({ project_id, id }));
  const { rows } = await sql<CreatedFields & { id: string }>`
    /* prepared */
    select w.id, w.status, w.phase, w.error, w.error_count, w.timeout_secs, w.scheduled_at, w.started_at, w.deadline,
      w.paused_at, w.finished_at, w.created_at, w.updated_at
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.id`.execute(ctx.db);
  return new Map(rows.map(({ id, ...created }) => [id, created]));
}

/** Starts many workflow runs with their first steps in one commit, and returns a result for each. */
async function startWorkflowRuns(ctx: Ctx, newRuns: readonly NewWorkflowRun[]): Promise<WorkflowTriggerResult[]> {
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
  if (fresh.some((run) => run.idempotency_key !== null)) await claimIdempotencyKeys(tx, fresh, repeated);
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

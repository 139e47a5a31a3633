import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { collectForCommit } from "../../../platform/database/after-commit.ts";
import { isConnectionLoss } from "../../../platform/database/database-errors.ts";
import { logFailure } from "../../../platform/log-failure.ts";
import { perService } from "../../../platform/service-state.ts";
import { notifyWorkflowRuns, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { progressRuns } from "./progress-runs.ts";

/** Workflow runs per transaction. */
const MAX_AT_ONCE = 100;

/**
 * The minimum interval between transactions when each is this full: a run costs half as much in a batch of 16 as in one
 * of 4. With few runs none of them waits.
 */
const MIN_INTERVAL_MS = 16;
const BUSY_RUNS = 4;

/** While one transaction is slow, for example because it waits for a lock, another worker serves the other projects. */
const SLOW_MS = 50;
const MAX_WORKERS = 3;

type Waiting = {
  /** By project; within each in order of arrival. */
  projects: Map<string, Map<string, WorkflowRunKey>>;
  /** Each executes one transaction after the other. */
  workers: Set<Promise<void>>;
  /** Workers whose transaction is slow. */
  slow: number;
  /** Projects with runs in a transaction in flight: one at a time. */
  busy: Set<string>;
  last: { startedAt: number; runs: number };
};

/** Runs to be progressed by this instance. Requested many times while queued, they are progressed once. */
const waitingOf = perService(
  (): Waiting => ({
    projects: new Map(),
    workers: new Set(),
    slow: 0,
    busy: new Set(),
    last: { startedAt: 0, runs: 0 },
  }),
);

/**
 * Progresses workflow runs in the background, many in one transaction, projects round-robin: requests that arrive
 * during a transaction or its throttling interval go into the next. Begins after the commit. Not awaited; the
 * reconciliation repairs failures.
 */
export const progressSoon = collectForCommit<WorkflowRunKey>((ctx, keys) => {
  const waiting = waitingOf(ctx);
  for (const key of keys) {
    const ofProject = waiting.projects.get(key.project_id) ?? new Map();
    waiting.projects.set(key.project_id, ofProject.set(key.workflow_run_id, key));
  }
  startWorker(ctx, waiting);
});

/** Notifies the subscribers of workflow runs after the commit, and progresses the runs. */
export function workflowRunsChanged(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): void {
  notifyWorkflowRuns(tx, keys);
  progressSoon(tx, keys);
}

/** Resolves when nothing is left to be progressed by this instance. Returns whether there was something. */
export async function whenProgressed(ctx: Ctx): Promise<boolean> {
  const { workers } = waitingOf(ctx);
  const isUnderWay = workers.size > 0;
  while (workers.size > 0) await Promise.all(workers);
  return isUnderWay;
}

function startWorker(ctx: Ctx, waiting: Waiting): void {
  const { workers, slow } = waiting;
  if (workers.size > slow || workers.size === MAX_WORKERS || !hasFree(waiting)) return;
  const worker = progressAll(ctx, waiting).finally(() => {
    workers.delete(worker);
    startWorker(ctx, waiting); // requested after the worker found nothing more
  });
  workers.add(worker);
}

function hasFree({ projects, busy }: Waiting): boolean {
  for (const project_id of projects.keys()) if (!busy.has(project_id)) return true;
  return false;
}

async function progressAll(ctx: Ctx, waiting: Waiting): Promise<void> {
  await rest(waiting);
  for (let batch = takeBatch(waiting); batch.length > 0; batch = takeBatch(waiting)) {
    waiting.last = { startedAt: performance.now(), runs: batch.length };
    await progressConcurrently(ctx, waiting, batch);
    if (waiting.projects.size > 0) await rest(waiting);
  }
}

/** Round-robin over the projects without a transaction in flight, until the batch is full. */
function takeBatch({ projects, busy }: Waiting): WorkflowRunKey[] {
  const batch: WorkflowRunKey[] = [];
  const free = [...projects].filter(([project_id]) => !busy.has(project_id));
  for (let isMore = true; isMore && batch.length < MAX_AT_ONCE; ) {
    isMore = false;
    for (const [, keys] of free.slice(0, MAX_AT_ONCE - batch.length)) {
      const [key] = keys.values();
      if (!key) continue;
      isMore = true;
      batch.push(key);
      keys.delete(key.workflow_run_id);
    }
  }
  // Served projects go to the end.
  for (const project_id of new Set(batch.map((key) => key.project_id))) {
    const keys = projects.get(project_id);
    projects.delete(project_id);
    if (keys && keys.size > 0) projects.set(project_id, keys);
  }
  return batch;
}

async function progressConcurrently(ctx: Ctx, waiting: Waiting, batch: WorkflowRunKey[]): Promise<void> {
  const projects = new Set(batch.map(({ project_id }) => project_id));
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    waiting.slow++;
    startWorker(ctx, waiting);
  }, SLOW_MS);
  for (const project_id of projects) waiting.busy.add(project_id);
  await progressBatch(ctx, batch);
  for (const project_id of projects) waiting.busy.delete(project_id);
  clearTimeout(timer);
  if (isSlow) waiting.slow--;
}

function rest({ projects, last }: Waiting): Promise<void> {
  const isBusy = last.runs >= BUSY_RUNS && !hasFullBatch(projects);
  const leftMs = isBusy ? last.startedAt + MIN_INTERVAL_MS - performance.now() : 0;
  // Requests of the same event loop iteration share a transaction.
  return new Promise((resolve) => (leftMs < 1 ? setImmediate(resolve) : setTimeout(resolve, leftMs)));
}

function hasFullBatch(projects: Waiting["projects"]): boolean {
  let count = 0;
  for (const keys of projects.values()) count += keys.size;
  return count >= MAX_AT_ONCE;
}

/** One run that cannot be progressed must not block the others. */
async function progressBatch(ctx: Ctx, batch: WorkflowRunKey[]): Promise<void> {
  try {
    await progressRuns(ctx, batch);
  } catch (error) {
    if (batch.length > 1 && !isConnectionLoss(error)) {
      for (const key of batch) await progressBatch(ctx, [key]);
      return;
    }
    logFailure(ctx, error, { workflow_runs: batch.length, first: batch[0] }, "workflow runs were not progressed");
  }
}

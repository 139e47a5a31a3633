import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { collectForCommit } from "../../../platform/database/after-commit.ts";
import { isConnectionLoss } from "../../../platform/database/database-errors.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { perService } from "../../../platform/service-state.ts";
import { notifyWorkflowRuns, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { progressRuns } from "./progress-runs.ts";

/** Workflow runs per transaction. */
const MAX_BATCH = 100;

/**
 * The minimum interval between transactions when each is this full: a run costs half as much in a batch of 16 as in one
 * of 4. With few runs none of them waits.
 */
const MIN_INTERVAL_MS = 16;
const BUSY_RUNS = 4;

/** While one transaction is slow, for example because it waits for a lock, another worker serves the other projects. */
const SLOW_MS = 50;
const MAX_WORKERS = 3;

type ProgressQueue = {
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
const queueOf = perService(
  (): ProgressQueue => ({
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
  const queue = queueOf(ctx);
  for (const key of keys) {
    const ofProject = queue.projects.get(key.project_id) ?? new Map();
    queue.projects.set(key.project_id, ofProject.set(key.workflow_run_id, key));
  }
  startWorker(ctx, queue);
});

/** Notifies the subscribers of workflow runs after the commit, and progresses the runs. */
export function workflowRunsChanged(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): void {
  notifyWorkflowRuns(tx, keys);
  progressSoon(tx, keys);
}

/** Resolves when nothing is left to be progressed by this instance. Returns whether there was something. */
export async function whenProgressed(ctx: Ctx): Promise<boolean> {
  const { workers } = queueOf(ctx);
  const wasBusy = workers.size > 0;
  while (workers.size > 0) await Promise.all(workers);
  return wasBusy;
}

function startWorker(ctx: Ctx, queue: ProgressQueue): void {
  const { workers, slow } = queue;
  if (workers.size > slow || workers.size === MAX_WORKERS || !hasFree(queue)) return;
  const worker = progressAll(ctx, queue).finally(() => {
    workers.delete(worker);
    startWorker(ctx, queue); // requested after the worker found nothing more
  });
  workers.add(worker);
}

function hasFree({ projects, busy }: ProgressQueue): boolean {
  for (const project_id of projects.keys()) if (!busy.has(project_id)) return true;
  return false;
}

async function progressAll(ctx: Ctx, queue: ProgressQueue): Promise<void> {
  await throttle(queue);
  for (let batch = takeBatch(queue); batch.length > 0; batch = takeBatch(queue)) {
    queue.last = { startedAt: performance.now(), runs: batch.length };
    await progressConcurrently(ctx, queue, batch);
    if (queue.projects.size > 0) await throttle(queue);
  }
}

/** Round-robin over the projects without a transaction in flight, until the batch is full. */
function takeBatch({ projects, busy }: ProgressQueue): WorkflowRunKey[] {
  const batch: WorkflowRunKey[] = [];
  const free = [...projects].filter(([project_id]) => !busy.has(project_id));
  for (let isMore = true; isMore && batch.length < MAX_BATCH; ) {
    isMore = false;
    for (const [, keys] of free.slice(0, MAX_BATCH - batch.length)) {
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

async function progressConcurrently(ctx: Ctx, queue: ProgressQueue, batch: WorkflowRunKey[]): Promise<void> {
  const projects = new Set(batch.map(({ project_id }) => project_id));
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    queue.slow++;
    startWorker(ctx, queue);
  }, SLOW_MS);
  for (const project_id of projects) queue.busy.add(project_id);
  await progressBatch(ctx, batch);
  for (const project_id of projects) queue.busy.delete(project_id);
  clearTimeout(timer);
  if (isSlow) queue.slow--;
}

function throttle({ projects, last }: ProgressQueue): Promise<void> {
  const isBusy = last.runs >= BUSY_RUNS && !hasFullBatch(projects);
  const remainingMs = isBusy ? last.startedAt + MIN_INTERVAL_MS - performance.now() : 0;
  // Requests of the same event loop iteration share a transaction.
  return new Promise((resolve) => (remainingMs < 1 ? setImmediate(resolve) : setTimeout(resolve, remainingMs)));
}

function hasFullBatch(projects: ProgressQueue["projects"]): boolean {
  let count = 0;
  for (const keys of projects.values()) count += keys.size;
  return count >= MAX_BATCH;
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

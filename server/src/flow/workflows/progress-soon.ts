import type { Ctx } from "../../platform/context.ts";
import { isConnectionLoss } from "../../platform/database/database-errors.ts";
import { logFailure } from "../../platform/log-failure.ts";
import { perService } from "../../platform/service-state.ts";
import { progressRuns } from "./progress-runs.ts";
import type { WorkflowRunKey } from "./workflow-run-key.ts";

/** Runs in one transaction. */
const MOST_AT_ONCE = 100;

/**
 * The least time from one transaction to the next while each has this many: of 16 runs one costs half of what it does
 * of 4. Where few move, none of them waits.
 */
const REST_MS = 16;
const BUSY_RUNS = 4;

/** Beside a transaction that takes longer, as one does that waits for a lock, the other projects have another. */
const SLOW_MS = 50;
const MOST_LINES = 3;

type Waiting = {
  /** By project; of each in the order in which they were told. */
  projects: Map<string, Map<string, WorkflowRunKey>>;
  /** Each does one transaction after the other. */
  lines: Set<Promise<void>>;
  /** Lines whose transaction is slow. */
  slow: number;
  /** Projects with runs in a transaction under way: they have one at a time. */
  busy: Set<string>;
  last: { startedAt: number; runs: number };
};

/** Those to be progressed by this instance. Told many times while they wait, they are progressed once. */
const waitingOf = perService(
  (): Waiting => ({
    projects: new Map(),
    lines: new Set(),
    slow: 0,
    busy: new Set(),
    last: { startedAt: 0, runs: 0 },
  }),
);

/**
 * Progresses workflow runs in the background, many in one transaction, of each project in turn: what is told while one
 * is under way, or while a busy service rests, goes into the next. Call it after the commit. Nobody waits for it; what
 * fails here the reconciliation does.
 */
export function progressSoon(ctx: Ctx, keys: Iterable<WorkflowRunKey>): void {
  const waiting = waitingOf(ctx);
  for (const key of keys) {
    const ofProject = waiting.projects.get(key.project_id) ?? new Map();
    waiting.projects.set(key.project_id, ofProject.set(key.workflow_run_id, key));
  }
  startLine(ctx, waiting);
}

/** Comes back when nothing is left to be progressed by this instance. Answers whether there was something. */
export async function whenProgressed(ctx: Ctx): Promise<boolean> {
  const { lines } = waitingOf(ctx);
  const isUnderWay = lines.size > 0;
  while (lines.size > 0) await Promise.all(lines);
  return isUnderWay;
}

function startLine(ctx: Ctx, waiting: Waiting): void {
  const { lines, slow } = waiting;
  if (lines.size > slow || lines.size === MOST_LINES || !hasFree(waiting)) return;
  const line = progressAll(ctx, waiting).finally(() => {
    lines.delete(line);
    startLine(ctx, waiting); // told since the line found nothing more
  });
  lines.add(line);
}

function hasFree({ projects, busy }: Waiting): boolean {
  for (const project_id of projects.keys()) if (!busy.has(project_id)) return true;
  return false;
}

async function progressAll(ctx: Ctx, waiting: Waiting): Promise<void> {
  await rest(waiting);
  for (let batch = takeBatch(waiting); batch.length > 0; batch = takeBatch(waiting)) {
    waiting.last = { startedAt: performance.now(), runs: batch.length };
    await progressBeside(ctx, waiting, batch);
    if (waiting.projects.size > 0) await rest(waiting);
  }
}

/** Of the projects that have none under way one after the other, until the transaction is full. */
function takeBatch({ projects, busy }: Waiting): WorkflowRunKey[] {
  const batch: WorkflowRunKey[] = [];
  const free = [...projects].filter(([project_id]) => !busy.has(project_id));
  for (let isMore = true; isMore && batch.length < MOST_AT_ONCE; ) {
    isMore = false;
    for (const [, keys] of free.slice(0, MOST_AT_ONCE - batch.length)) {
      const [key] = keys.values();
      if (!key) continue;
      isMore = true;
      batch.push(key);
      keys.delete(key.workflow_run_id);
    }
  }
  // Those that were served come last the next time.
  for (const project_id of new Set(batch.map((key) => key.project_id))) {
    const keys = projects.get(project_id);
    projects.delete(project_id);
    if (keys && keys.size > 0) projects.set(project_id, keys);
  }
  return batch;
}

async function progressBeside(ctx: Ctx, waiting: Waiting, batch: WorkflowRunKey[]): Promise<void> {
  const projects = new Set(batch.map(({ project_id }) => project_id));
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    waiting.slow++;
    startLine(ctx, waiting);
  }, SLOW_MS);
  for (const project_id of projects) waiting.busy.add(project_id);
  await progressBatch(ctx, batch);
  for (const project_id of projects) waiting.busy.delete(project_id);
  clearTimeout(timer);
  if (isSlow) waiting.slow--;
}

function rest({ projects, last }: Waiting): Promise<void> {
  const isBusy = last.runs >= BUSY_RUNS && !hasFullBatch(projects);
  const leftMs = isBusy ? last.startedAt + REST_MS - performance.now() : 0;
  // What is told in the same turn of the event loop is done together.
  return new Promise((resolve) => (leftMs < 1 ? setImmediate(resolve) : setTimeout(resolve, leftMs)));
}

function hasFullBatch(projects: Waiting["projects"]): boolean {
  let count = 0;
  for (const keys of projects.values()) count += keys.size;
  return count >= MOST_AT_ONCE;
}

/** One run that cannot be progressed must not hold up the others. */
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

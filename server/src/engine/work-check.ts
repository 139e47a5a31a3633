import type { Ctx } from "../platform/context.ts";
import { logFailure } from "../platform/logging/log-failure.ts";
import type { Task } from "../platform/task.ts";
import { findWork, type Work } from "./find-work.ts";

/** Conditions of tasks that run less often than this are checked only when one of them is due. */
const INFREQUENT_MS = 5_000;
const MAX_INTERVAL_MS = 500;
const JITTER = 0.1; // so that instances that started together do not check in step

export type WorkCheck = {
  /** Calls back with the next check that is due after this delay. */
  expect: (task: Task, delayMs: number, checked: (work: Work) => void) => void;
  /** The task was woken: its check is not needed anymore. */
  cancel: (task: Task) => void;
  stop: () => void;
};

type Expected = { dueAt: number; checked: (work: Work) => void };

const UNKNOWN: Work = { hasWork: true, isWakeable: true };

/**
 * Checks all tasks of an instance that are due in one statement, at the interval of the most frequent one. An idle
 * instance thus sends two statements a second instead of one per task. If the check fails, passes run without it.
 */
export function openWorkCheck(ctx: Ctx, tasks: readonly Task[]): WorkCheck {
  const all = tasks.filter(({ hasWork }) => hasWork);
  const frequent = all.filter(({ everyMs }) => everyMs < INFREQUENT_MS);
  const intervalMs = Math.min(MAX_INTERVAL_MS, ...all.map(({ everyMs }) => everyMs));
  const expected = new Map<Task, Expected>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(
      () => void check().finally(schedule),
      intervalMs * (1 + (Math.random() * 2 - 1) * JITTER),
    ).unref();
  }

  async function check(): Promise<void> {
    // Half an interval early rather than half late: jitter must not make a task skip a check.
    const latest = performance.now() + intervalMs / 2;
    const due = [...expected].filter(([, { dueAt }]) => dueAt <= latest);
    if (due.length === 0) return;
    const isSeldom = due.some(([{ everyMs }]) => everyMs >= INFREQUENT_MS);
    const found = await findWork(ctx, isSeldom ? all : frequent).catch((error: unknown) => {
      logFailure(ctx, error, {}, "tasks could not be checked for work");
      return new Map<Task, Work>();
    });
    for (const [task, mine] of due) {
      // A task that was woken meanwhile is no longer expected.
      if (isStopped || expected.get(task) !== mine) continue;
      expected.delete(task);
      mine.checked(found.get(task) ?? UNKNOWN);
    }
  }

  if (all.length > 0) schedule();
  return {
    expect: (task, delayMs, checked) => {
      expected.set(task, { dueAt: performance.now() + delayMs, checked });
    },
    cancel: (task) => void expected.delete(task),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

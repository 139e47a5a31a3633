import type { Ctx } from "../platform/context.ts";
import { logFailure } from "../platform/logging/log-failure.ts";
import type { Task } from "../platform/task.ts";
import type { Work } from "./find-work.ts";
import { acquireLeaderLease, acquireLeaderLeaseEarly, releaseLeaderLease } from "./leader-lease.ts";
import { runTaskOnce } from "./run-task-once.ts";
import { openWorkCheck, type WorkCheck } from "./work-check.ts";

export type RunningTasks = { stop: () => Promise<void> };

/** First passes are spread, so that a starting service does not run everything at once. */
const MAX_START_MS = 2_000;
const JITTER = 0.1; // so that instances that started together do not run in step

/** Runs every task at its interval until stopped; `stop` waits for the passes in progress. */
export function runTasks(ctx: Ctx, tasks: readonly Task[]): RunningTasks {
  const check = openWorkCheck(ctx, tasks);
  const running = tasks.map((task) => runTask(ctx, task, check));
  return {
    stop: async () => {
      check.stop();
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}

function runTask(ctx: Ctx, task: Task, check: WorkCheck): RunningTasks {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> | undefined;
  let woken = false;
  let isWakeable = true;

  /** The next pass, whether or not there is work. */
  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    ctx.state.taskDueAt.set(task.name, performance.now() + delayMs);
    timer = setTimeout(start, delayMs).unref();
  }

  /** The next pass, if there is work then. */
  function wait(delayMs: number): void {
    if (!task.hasWork) schedule(delayMs * (1 + (Math.random() * 2 - 1) * JITTER));
    else if (!stopped) {
      ctx.state.taskDueAt.set(task.name, performance.now() + delayMs);
      check.expect(task, delayMs, checked);
    }
  }

  function checked(work: Work): void {
    isWakeable = work.isWakeable;
    if (stopped || pass || woken) return;
    if (work.hasWork) start();
    else {
      countPass(ctx, task, "done");
      wait(task.everyMs);
    }
  }

  function start(): void {
    // Another instance may have done the work of a wake-up already.
    const isChecked = !(woken && task.oneInstance);
    const acquire = woken ? acquireLeaderLeaseEarly : acquireLeaderLease;
    woken = false;
    const startedAt = performance.now();
    pass = runAndReport(ctx, task, { isChecked, acquire }).then((outcome) => {
      pass = undefined;
      const tookMs = performance.now() - startedAt;
      if (outcome === "more" || woken) schedule((task.throttle ?? 0) * tookMs);
      else wait(pauseAfter(ctx, task, tookMs));
    });
  }

  function wake(): void {
    if (!isWakeable) return;
    woken = true;
    check.cancel(task);
    if (!pass) schedule(0);
  }

  const unsubscribe = task.wakeOn === undefined ? () => {} : ctx.wakeup.onWake(task.wakeOn, () => wake());
  const firstMs = Math.random() * Math.min(task.everyMs, MAX_START_MS);
  if (task.hasWork) wait(firstMs);
  else schedule(firstMs);
  return {
    stop: async () => {
      stopped = true;
      unsubscribe();
      clearTimeout(timer);
      await pass;
      ctx.state.taskDueAt.delete(task.name);
    },
  };
}

type Outcome = "done" | "more" | "failed";
type Start = { isChecked: boolean; acquire: typeof acquireLeaderLease };

/** One pass, which never throws: a failure is logged, and the task runs again at its usual interval. */
async function runAndReport(ctx: Ctx, task: Task, { isChecked, acquire }: Start): Promise<Outcome> {
  const pass = task.oneInstance ? { ...task, runOnce: () => runAsLeader(ctx, task, acquire) } : task;
  const outcome = await (isChecked ? pass.runOnce(ctx) : runTaskOnce(ctx, pass)).then(
    (more) => (more ? "more" : "done"),
    (error: unknown) => {
      logFailure(ctx, error, { task: task.name }, "a task failed");
      return "failed" as const;
    },
  );
  countPass(ctx, task, outcome);
  return outcome;
}

function countPass(ctx: Ctx, task: Task, outcome: Outcome): void {
  ctx.metrics.taskRuns.inc({ task: task.name, outcome: outcome === "failed" ? "failed" : "done" });
}

async function runAsLeader(ctx: Ctx, task: Task, acquire: typeof acquireLeaderLease): Promise<boolean> {
  if (!(await acquire(ctx, task))) return false;
  let more = false;
  const startedAt = performance.now();
  try {
    more = await task.runOnce(ctx);
  } finally {
    await releaseLeaderLease(ctx, task, more ? 0 : pauseAfter(ctx, task, performance.now() - startedAt));
  }
  return more;
}

function pauseAfter(ctx: Ctx, { everyMs, pauseMs }: Task, tookMs: number): number {
  return pauseMs?.(ctx, tookMs) ?? everyMs;
}

import type { Ctx } from "../platform/context.ts";
import { logFailure } from "../platform/log-failure.ts";
import { intervalOf, type Task } from "../platform/task.ts";
import { acquireLeaderLease, acquireLeaderLeaseEarly, releaseLeaderLease } from "./leader-lease.ts";
import { runTaskOnce } from "./run-task-once.ts";

export type RunningTasks = { stop: () => Promise<void> };

/** First passes are spread, so that a starting service does not run everything at once. */
const MAX_START_MS = 2_000;
const JITTER = 0.1; // so that instances that started together do not run in step

/** Runs every task at its interval until stopped; `stop` waits for the passes in progress. */
export function runTasks(ctx: Ctx, tasks: readonly Task[]): RunningTasks {
  const running = tasks.map((task) => runTask(ctx, task));
  return {
    stop: async () => {
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}

function runTask(ctx: Ctx, task: Task): RunningTasks {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let pass: Promise<void> | undefined;
  let woken = false;

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    ctx.state.taskDueAt.set(task.name, performance.now() + delayMs);
    timer = setTimeout(start, delayMs).unref();
  }

  function start(): void {
    const take = woken ? acquireLeaderLeaseEarly : acquireLeaderLease;
    woken = false;
    const startedAt = performance.now();
    pass = runAndReport(ctx, task, take).then((outcome) => {
      pass = undefined;
      const throttleMs = (task.throttle ?? 0) * (performance.now() - startedAt);
      const pauseMs = outcome === "failed" ? task.everyMs : intervalOf(ctx, task);
      schedule(outcome === "more" || woken ? throttleMs : pauseMs * (1 + (Math.random() * 2 - 1) * JITTER));
    });
  }

  function wake(): void {
    woken = true;
    if (!pass) schedule(0);
  }

  const forget = task.wakeOn === undefined ? () => {} : ctx.wakeup.onWake(task.wakeOn, () => wake());
  schedule(Math.random() * Math.min(task.everyMs, MAX_START_MS));
  return {
    stop: async () => {
      stopped = true;
      forget();
      clearTimeout(timer);
      await pass;
      ctx.state.taskDueAt.delete(task.name);
    },
  };
}

/** One pass, which never throws: a failure is logged, and the task runs again at its usual interval. */
async function runAndReport(
  ctx: Ctx,
  task: Task,
  take: typeof acquireLeaderLease,
): Promise<"done" | "more" | "failed"> {
  const outcome = await runTaskOnce(
    ctx,
    task.oneInstance ? { ...task, runOnce: () => runAsLeader(ctx, task, take) } : task,
  ).then(
    (more) => (more ? "more" : "done"),
    (error: unknown) => {
      logFailure(ctx, error, { task: task.name }, "a task failed");
      return "failed" as const;
    },
  );
  ctx.metrics.taskRuns.inc({ task: task.name, outcome: outcome === "failed" ? "failed" : "done" });
  return outcome;
}

async function runAsLeader(ctx: Ctx, task: Task, take: typeof acquireLeaderLease): Promise<boolean> {
  if (!(await take(ctx, task))) return false;
  let more = false;
  try {
    more = await task.runOnce(ctx);
  } finally {
    await releaseLeaderLease(ctx, task, more);
  }
  return more;
}

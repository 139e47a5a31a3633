import { setTimeout as pause } from "node:timers/promises";
import { allTasks } from "@millrace/server/src/engine/all-tasks.ts";
import { dispatcherOf } from "@millrace/server/src/engine/dispatcher.ts";
import { runTaskOnce } from "@millrace/server/src/engine/run-task-once.ts";
import { senderOf } from "@millrace/server/src/features/webhook-deliveries/sender.ts";
import { findLanes } from "@millrace/server/src/flow/runs/claim/lanes.ts";
import { whenProgressed } from "@millrace/server/src/flow/workflows/progress/progress-soon.ts";
import type { Ctx } from "@millrace/server/src/platform/context.ts";
import { hasOutboxEntries } from "@millrace/server/src/platform/outbox/claim-outbox.ts";

/** Time-driven tasks, in the order in which one may create work for the next. */
const TIMED = [
  "fire-schedules",
  "start-due-workflow-runs",
  "time-out-workflow-runs",
  "resolve-due-triggers",
  "expire-runs",
  "sweep-leases",
  "release-rate-limits",
  "probe-circuits",
  "fail-unreachable-runs",
  "release-due-runs",
  "run-outbox",
  "poll-queue",
  "publish-webhooks",
  "send-webhooks",
].map(taskNamed);

const OTHERS = allTasks.filter((task) => !TIMED.includes(task));
/** Retention, rollups and the like matter only to long tests and would slow down short ones. */
const OTHERS_EVERY_MS = 5_000;
const TIMED_EVERY_MS = 50;

export type Engine = { stop: () => Promise<void> };

function taskNamed(name: string) {
  const task = allTasks.find((task) => task.name === name);
  if (!task) throw new Error(`there is no task ${name}`);
  return task;
}

/** Runs the tasks until nothing more can change unless time passes. Waits for dispatches in progress. */
export async function settle(ctx: Ctx): Promise<void> {
  do {
    for (const task of TIMED) while (await runTaskOnce(ctx, task));
    await dispatcherOf(ctx).idle();
    await whenProgressed(ctx);
    await senderOf(ctx).idle();
  } while (await isMoving(ctx));
}

async function isMoving(ctx: Ctx): Promise<boolean> {
  return (await findLanes(ctx, undefined, 1)).length > 0 || (await hasOutboxEntries(ctx));
}

/**
 * Runs the tasks periodically instead of the scheduler. Every pass uses `alone`, so never while the clock is being
 * moved.
 */
export function runTasks(ctx: Ctx, alone: (pass: () => Promise<void>) => Promise<void>): Engine {
  let isStopped = false;
  let othersAt = performance.now() + OTHERS_EVERY_MS;

  async function runPass(): Promise<void> {
    for (const task of TIMED) await runTaskOnce(ctx, task);
    if (performance.now() < othersAt) return;
    othersAt = performance.now() + OTHERS_EVERY_MS;
    for (const task of OTHERS) await runTaskOnce(ctx, task);
  }

  async function loop(): Promise<void> {
    while (!isStopped) {
      await alone(runPass).catch((error) => ctx.log.warn({ reason: String(error) }, "a task failed"));
      await pause(TIMED_EVERY_MS);
    }
  }

  const running = loop();
  return {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

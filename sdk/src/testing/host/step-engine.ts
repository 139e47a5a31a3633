import { setTimeout as pause } from "node:timers/promises";
import { allTasks } from "@millrace/server/src/engine/all-tasks.ts";
import { dispatcherOf } from "@millrace/server/src/engine/dispatcher.ts";
import { runTaskOnce } from "@millrace/server/src/engine/run-task-once.ts";
import { senderOf } from "@millrace/server/src/features/webhook-deliveries/sender.ts";
import { findLanes } from "@millrace/server/src/flow/find-lanes.ts";
import { whenProgressed } from "@millrace/server/src/flow/workflows/progress-soon.ts";
import type { Ctx } from "@millrace/server/src/platform/context.ts";
import { hasOutboxEntries } from "@millrace/server/src/platform/outbox/claim-outbox.ts";

/** What time moves, in the order in which one may make work for the next. */
const TIMED = [
  "fire-schedules",
  "start-due-workflow-runs",
  "time-out-workflow-runs",
  "resolve-due-triggers",
  "expire-runs",
  "sweep-leases",
  "release-rate-limits",
  "probe-circuits",
  "release-due-runs",
  "run-outbox",
  "poll-queue",
  "expand-run-events",
  "expand-workflow-events",
  "send-webhooks",
].map(taskNamed);

const OTHERS = allTasks.filter((task) => !TIMED.includes(task));
/** Retention, roll-ups and the like: they matter to long tests alone, and would hold up the short ones. */
const OTHERS_EVERY_MS = 5_000;
const TIMED_EVERY_MS = 50;

export type Engine = { stop: () => Promise<void> };

function taskNamed(name: string) {
  const task = allTasks.find((task) => task.name === name);
  if (!task) throw new Error(`there is no task ${name}`);
  return task;
}

/** Turns of the tasks until nothing moves any more without time. Waits for dispatches under way. */
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

/** The tasks in place of their tasks: never while the clock is being moved, so `alone` is asked for every turn. */
export function runTasks(ctx: Ctx, alone: (turn: () => Promise<void>) => Promise<void>): Engine {
  let isStopped = false;
  let othersAt = performance.now() + OTHERS_EVERY_MS;

  async function turn(): Promise<void> {
    for (const task of TIMED) await runTaskOnce(ctx, task);
    if (performance.now() < othersAt) return;
    othersAt = performance.now() + OTHERS_EVERY_MS;
    for (const task of OTHERS) await runTaskOnce(ctx, task);
  }

  async function goOn(): Promise<void> {
    while (!isStopped) {
      await alone(turn).catch((error) => ctx.log.warn({ reason: String(error) }, "a task failed"));
      await pause(TIMED_EVERY_MS);
    }
  }

  const running = goOn();
  return {
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

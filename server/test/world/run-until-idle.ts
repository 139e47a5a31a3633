import { allTasks } from "../../src/engine/all-tasks.ts";
import { dispatchTasks } from "../../src/engine/dispatch-tasks.ts";
import { dispatcherOf } from "../../src/engine/dispatcher.ts";
import { runTaskOnce } from "../../src/engine/run-task-once.ts";
import { drainerOf } from "../../src/features/log-drains/drainer.ts";
import { senderOf } from "../../src/features/webhook-deliveries/sender.ts";
import { whenProgressed } from "../../src/flow/workflows/progress/progress-soon.ts";
import type { Ctx } from "../../src/platform/context.ts";
import type { Task } from "../../src/platform/task.ts";
import { findWork, type Work } from "../statements/find-work.ts";
import type { TestConnection } from "./database.ts";

/** Tasks with an interval this long run when it has elapsed on the test's clock. */
const INFREQUENT_MS = 5_000;
/**
 * Tasks with an interval of minutes or hours do not run: retention and partitioning cost more than most tests. Tests of
 * them run them by name.
 */
const NAMED_ONLY_MS = 60_000;

const MOVING = ["run-outbox", "start-due-workflow-runs"];
const moving = allTasks.filter((task) => MOVING.includes(task.name) || dispatchTasks.includes(task));
/** Claimable runs that still do not move wait for another task. */
const MAX_ROUNDS = 10;

/**
 * Returns a function that runs tasks until no run is claimable, the outbox is empty, and no workflow run is due. A pass
 * costs statements even when nothing is due, so only tasks that may have work run (`find-work.ts`): while runs move,
 * the tasks that move them; once nothing moves, those in `tasks`.
 */
export function openRunUntilIdle(
  ctx: Ctx,
  connection: TestConnection,
  tasks: readonly Task[] = allTasks,
): () => Promise<void> {
  const frequent = tasks.filter(({ everyMs }) => everyMs < NAMED_ONLY_MS);
  const consumers = frequent.filter(({ consumesLog }) => consumesLog);
  const others = frequent.filter(({ consumesLog }) => !consumesLog);
  const seldomAtMs = new Map<Task, number>();

  function isDue(task: Task, nowMs: number): boolean {
    if (task.everyMs < INFREQUENT_MS) return true;
    const before = seldomAtMs.get(task) ?? nowMs;
    const isTime = Math.abs(nowMs - before) >= task.everyMs;
    seldomAtMs.set(task, isTime ? nowMs : before);
    return isTime;
  }

  /** Returns the work that is left. */
  async function consumeLogs(before: Work): Promise<Work> {
    if (consumers.length === 0) return before;
    const behind = consumers.filter(({ name }) => before.has(name));
    await runAll(ctx, behind);
    await senderOf(ctx).idle();
    await drainerOf(ctx).idle();
    return behind.length > 0 ? findWork(connection) : before;
  }

  return async () => {
    for (;;) {
      const work = await findWork(connection);
      await runAll(
        ctx,
        others.filter((task) => isDue(task, work.nowMs) && work.has(task.name)),
      );
      const moved = await moveRuns(ctx, connection);
      const left = await consumeLogs(moved.work);
      if (moved.rounds === 1 && !left.moves) return;
    }
  };
}

async function runAll(ctx: Ctx, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) while (await runTaskOnce(ctx, task));
}

/** Returns how many rounds it took until no run moved, and the work that is left. */
async function moveRuns(ctx: Ctx, connection: TestConnection): Promise<{ rounds: number; work: Work }> {
  for (let rounds = 1; ; rounds++) {
    // Progress may start runs, whose ends then cause more progress.
    do await dispatcherOf(ctx).idle();
    while (await whenProgressed(ctx));
    const work = await findWork(connection);
    if (rounds === MAX_ROUNDS || !work.moves) return { rounds, work };
    await runAll(
      ctx,
      moving.filter(({ name }) => work.has(name)),
    );
  }
}

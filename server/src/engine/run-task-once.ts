import type { Ctx } from "../platform/context.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import type { Task } from "../platform/task.ts";
import { findWork } from "./find-work.ts";

/** One pass of a task, if it has work. True: more is due right now. */
export async function runTaskOnce(ctx: Ctx, task: Task): Promise<boolean> {
  return (await hasWork(ctx, task)) && task.runOnce(ctx);
}

async function hasWork(ctx: Ctx, task: Task): Promise<boolean> {
  if (!task.hasWork) return true;
  try {
    return (await findWork(ctx, [task])).get(task)?.hasWork ?? true;
  } catch (error) {
    // The pass uses another connection, and fails if there is none.
    if (isConnectionLoss(error)) return true;
    throw error;
  }
}

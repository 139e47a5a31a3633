import type { Ctx } from "../platform/context.ts";
import { type Sql, sql } from "../platform/database/sql.ts";
import type { Task } from "../platform/task.ts";

/** `hasWork`: a pass may find work. `isWakeable`: wake-ups start the task. */
export type Work = { hasWork: boolean; isWakeable: boolean };

type Row = { has_work: boolean[]; is_wakeable: boolean[] };

/**
 * Which of these tasks have work, in one statement. Its text, and so its plan, depends only on the tasks: callers pass
 * the same few sets again and again.
 */
export async function findWork(ctx: Ctx, tasks: readonly Task[]): Promise<Map<Task, Work>> {
  const { rows } = await sql<Row>`
    /* prepared */
    select array[${conditions(tasks.map(({ hasWork }) => hasWork))}]::boolean[] as has_work,
      array[${conditions(tasks.map(({ wakesWhile }) => wakesWhile))}]::boolean[] as is_wakeable`.execute(ctx.db);
  return new Map(
    tasks.map((task, index) => {
      const hasWork = rows[0]?.has_work[index] ?? true;
      return [task, { hasWork: hasWork || isKnownHere(ctx, task), isWakeable: rows[0]?.is_wakeable[index] ?? true }];
    }),
  );
}

function isKnownHere(ctx: Ctx, task: Task): boolean {
  return task.hasWorkHere?.(ctx) ?? false;
}

function conditions(all: readonly (Sql | undefined)[]): Sql {
  return sql.join(all.map((condition) => (condition ? sql`coalesce(${condition}, false)` : sql`true`)));
}

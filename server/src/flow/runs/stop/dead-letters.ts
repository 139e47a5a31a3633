import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

/** Removes runs from the dead-letter queue without replaying them. Returns how many were in it. */
export async function discardRuns(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: readonly string[],
): Promise<number> {
  if (run_ids.length === 0) return 0;
  const { rows } = await sql`
    update runs set dead_lettered_at = null, updated_at = clock()
    where project_id = ${project_id} and id = any(${[...run_ids]}::uuid[]) and dead_lettered_at is not null
    returning 1`.execute(tx.db);
  return rows.length;
}

/** Removes from the dead-letter queue the runs whose work is repeated in another way than by a replay. */
export async function leaveDeadLetters(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: readonly string[],
): Promise<void> {
  if (run_ids.length === 0) return;
  await sql`
    update runs set dead_lettered_at = null, replayed_at = clock(), updated_at = clock()
    where project_id = ${project_id} and id = any(${[...run_ids]}::uuid[])
      and dead_lettered_at is not null`.execute(tx.db);
}

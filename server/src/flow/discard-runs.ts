import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { RunKey } from "./lock-runs.ts";

/** Takes a run off the dead-letter list. False: it is not on it. */
export async function discardRun(tx: Ctx & InTransaction, { project_id, run_id }: RunKey): Promise<boolean> {
  const { rows } = await sql`
    update runs set dead_lettered_at = null, updated_at = clock()
    where project_id = ${project_id} and id = ${run_id} and dead_lettered_at is not null
    returning 1`.execute(tx.db);
  return rows.length > 0;
}

import { sql } from "kysely";
import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import type { InTransaction, RunCtx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

/** A run that has left its attempt and waits. */
export type SuspendedRun = {
  environment_id: string;
  /** The number of this wait among those of the run. */
  ordinal: number;
  /** The slots it held, to be released. */
  slots: string[];
};

/**
 * Detaches the calling attempt: the run waits, and its lease ends with its queue row, so a later response of the
 * endpoint is ignored. Call it under the fence. A run whose workflow run was canceled opens no wait.
 */
export async function suspendRun(tx: RunCtx & InTransaction): Promise<SuspendedRun> {
  const { rows } = await sql<Omit<SuspendedRun, "slots"> & { slots: string[] | null; stopped: string | null }>`
    /* prepared */
    with left_queue as (
      delete from run_queue where project_id = ${tx.project_id} and run_id = ${tx.run_id} returning slots, stopped
    ),
    moved as (
      update runs r set prev_status = r.status, status = 'waiting', moves = r.moves + 1, waits = r.waits + 1,
        updated_at = clock()
      where r.project_id = ${tx.project_id} and r.id = ${tx.run_id} and r.attempt = ${tx.attempt}
        and r.status = 'running'
      returning r.project_id, r.id, r.environment_id, r.moves, r.waits, r.attempt
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, moves, 'running', 'waiting', 'waiting', attempt, clock() from moved
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select m.environment_id, m.waits as ordinal, q.slots, q.stopped from moved m, left_queue q`.execute(tx.db);
  if (!rows[0]) throw new Error("the fenced run was not found");
  const { environment_id, ordinal, slots, stopped } = rows[0];
  if (stopped === "cancel") throw new ApiError("run_already_ended", "The run was canceled: it is about to end.");
  return { environment_id, ordinal, slots: slots ?? [] };
}

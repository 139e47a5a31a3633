import { sql } from "kysely";
import { appendRunChanges, TRANSITION } from "../../platform/changelog/append-changes.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { countTransitions } from "./count-transitions.ts";
import type { LockedRun } from "./lock-runs.ts";
import type { RunCause, RunStatus } from "./states.ts";

type Move = { to_status: Extract<RunStatus, "pending" | "paused">; cause: RunCause };

/** Moves one locked run to a non-final state, and logs it. An earlier request to pause it is cleared. */
export async function moveRun(tx: Ctx & InTransaction, run: LockedRun, { to_status, cause }: Move): Promise<void> {
  await sql`
    with moved as (
      update runs set prev_status = status, status = ${to_status}, moves = moves + 1, pause_requested = false,
        updated_at = clock()
      where project_id = ${run.project_id} and id = ${run.id} and status = ${run.status}
      returning project_id, id, moves, prev_status, status, attempt
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, moves, prev_status, status, ${cause}, attempt, clock() from moved
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select 1`.execute(tx.db);
  countTransitions(tx, [{ from_status: run.status, to_status }]);
}

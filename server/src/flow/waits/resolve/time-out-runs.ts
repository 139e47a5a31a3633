import { sql } from "kysely";
import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { countTransitions } from "../../runs/count-transitions.ts";
import { afterRunsEnded, type EndedRun } from "../../runs/settle/after-runs-ended.ts";
import { endCaused } from "../../runs/settle/end-runs.ts";
import { heldWaiting, type WaitingRun } from "../open/held-waiting.ts";

/**
 * Times out runs whose wait is overdue: they are not retried, and go to the dead-letter queue. The outbox entries of
 * their ends are written with them, as for any end. Returns how many were waiting.
 */
export async function timeOutRuns(
  tx: Ctx & InTransaction,
  waiting: readonly WaitingRun[],
  error: { code: string; message: string },
): Promise<number> {
  if (waiting.length === 0) return 0;
  const { rows } = await sql<EndedRun>`
    with ${heldWaiting(waiting)},
    ended as (
      update runs r set prev_status = r.status, status = 'timed_out', moves = r.moves + 1,
        error = ${JSON.stringify(error)}::jsonb, finished_at = clock(), dead_lettered_at = clock(),
        pause_requested = false, updated_at = clock()
      from held h where r.project_id = h.project_id and r.id = h.id and r.status = 'waiting'
      returning r.project_id, r.id as run_id, r.moves, r.attempt, r.error, r.workflow_run_id, r.awaited_by,
        r.has_dependents, h.trigger_id, (
          select v.on_failure_job_id from job_versions v where v.project_id = r.project_id and v.id = r.job_version_id
        ) as on_failure_job_id
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, moves, 'waiting', 'timed_out', 'event_timed_out', attempt,
        jsonb_build_object('error', error, 'event_trigger_id', trigger_id), clock() from ended
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    ${endCaused({ isFailure: true })}
    select project_id, run_id, workflow_run_id,
      on_failure_job_id is not null or awaited_by is not null or has_dependents as has_outbox_entries
    from ended`.execute(tx.db);
  changesAppended(tx, "run");
  countTransitions(
    tx,
    rows.map(() => ({ from_status: "waiting", to_status: "timed_out" })),
  );
  afterRunsEnded(tx, rows);
  return rows.length;
}

import { appendRunChanges, TRANSITION } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { fewRows } from "../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { type CountedTransition, countTransitions } from "../runs/count-transitions.ts";
import { queueRuns } from "../runs/queue-run.ts";
import { afterRunsEnded, type EndedRun } from "../runs/settle/after-runs-ended.ts";
import { enqueueEndEntries } from "../runs/settle/end-runs.ts";
import type { RunStatus } from "../runs/states.ts";

type Requeued = { project_id: string; run_id: string; status: RunStatus };

/**
 * Queues waiting runs again, with the payload of their trigger as `checkpoint`; the state they saved (`state`) is kept.
 * If a pause was requested meanwhile, the run is paused instead. A resumed run has all its tries again. Returns how
 * many were waiting.
 */
export async function resumeRuns(tx: Ctx & InTransaction, waiting: readonly WaitingRun[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const { rows } = await sql<Requeued>`
    /* prepared */
    with ${lockWaiting(waiting)},
    found as materialized (
      select h.project_id, h.id, t.id as trigger_id, t.wait_kind, t.ordinal, t.payload from held h, lateral (
        select t.id, t.wait_kind, t.ordinal, t.payload from event_triggers t
        where t.project_id = h.project_id and t.id = h.trigger_id offset 0
      ) t
    ),
    back as (
      update runs r set prev_status = r.status, transition_count = r.transition_count + 1,
        status = case when r.pause_requested then 'paused' else 'pending' end, pause_requested = false,
        tries_used = 0, checkpoint = f.payload, error = null, updated_at = clock()
      from found f
      where r.project_id = f.project_id and r.id = f.id and r.status = 'waiting' and r.waits = f.ordinal
      returning r.project_id, r.id as run_id, r.transition_count, r.status, r.attempt, r.updated_at, f.trigger_id, f.wait_kind
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, 'waiting', status,
        case when status = 'paused' then 'paused' when wait_kind = 'event' then 'event_received' else 'resumed' end,
        attempt, jsonb_build_object('event_trigger_id', trigger_id), updated_at from back
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select project_id, run_id, status from back`.execute(tx.db);
  changesAppended(tx, "run");
  countTransitions(tx, rows.map(transitionOf));
  await queueRuns(tx, rows);
  return rows.length;
}

function transitionOf({ status }: Requeued): CountedTransition {
  return { from_status: "waiting", to_status: status };
}

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
    with ${lockWaiting(waiting)},
    ended as (
      update runs r set prev_status = r.status, status = 'timed_out', transition_count = r.transition_count + 1,
        error = ${JSON.stringify(error)}::jsonb, finished_at = clock(), dead_lettered_at = clock(),
        pause_requested = false, updated_at = clock()
      from held h where r.project_id = h.project_id and r.id = h.id and r.status = 'waiting'
      returning r.project_id, r.id as run_id, r.transition_count, r.attempt, r.error, r.finished_at, r.workflow_run_id, r.awaited_by,
        r.has_dependents, h.trigger_id, (
          select v.on_failure_job_id from job_versions v where v.project_id = r.project_id and v.id = r.job_version_id
        ) as on_failure_job_id
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, 'waiting', 'timed_out', 'event_timed_out', attempt,
        jsonb_build_object('error', error, 'event_trigger_id', trigger_id), finished_at from ended
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    ${enqueueEndEntries({ isFailure: true })}
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

/** A run, and the trigger on which it waits or waited last. */
export type WaitingRun = { project_id: string; run_id: string; trigger_id: string };

/**
 * The first part of a statement that ends waits of runs: those that still wait, locked in order of their ids. The guard
 * is a `case` for the planner's sake: with `status =` a prepared plan would expect next to no rows.
 */
function lockWaiting(waiting: readonly WaitingRun[]): Sql {
  return sql`
    held as materialized (
      select r.project_id, r.id, g.trigger_id
      from (
        select * from json_to_recordset(${JSON.stringify(waiting.map(rowOf))}::json)
          as g(project_id uuid, run_id uuid, trigger_id uuid, one text)
        where ${fewRows("g.one")} order by run_id
      ) g, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = g.project_id and r.id = g.run_id and case when r.status = 'waiting' then true else false end
        for no key update
      ) r
    )`;
}

function rowOf({ project_id, run_id, trigger_id }: WaitingRun): object {
  return { project_id, run_id, trigger_id, one: "" };
}

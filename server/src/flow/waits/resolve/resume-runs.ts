import { sql } from "kysely";
import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type CountedMove, countTransitions } from "../../runs/count-transitions.ts";
import { queueRuns } from "../../runs/queue-run.ts";
import type { RunStatus } from "../../runs/states.ts";
import { heldWaiting, type WaitingRun } from "../open/held-waiting.ts";

type Back = { project_id: string; run_id: string; status: RunStatus };

/**
 * Queues waiting runs again, with the payload of their trigger as `checkpoint`; the state they saved (`state`) is kept.
 * If a pause was requested meanwhile, the run is paused instead. A resumed run has all its tries again. Returns how
 * many were waiting.
 */
export async function resumeRuns(tx: Ctx & InTransaction, waiting: readonly WaitingRun[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const { rows } = await sql<Back>`
    /* prepared */
    with ${heldWaiting(waiting)},
    found as materialized (
      select h.project_id, h.id, t.id as trigger_id, t.wait_kind, t.ordinal, t.payload from held h, lateral (
        select t.id, t.wait_kind, t.ordinal, t.payload from event_triggers t
        where t.project_id = h.project_id and t.id = h.trigger_id offset 0
      ) t
    ),
    back as (
      update runs r set prev_status = r.status, moves = r.moves + 1,
        status = case when r.pause_requested then 'paused' else 'pending' end, pause_requested = false,
        tries_used = 0, checkpoint = f.payload, error = null, updated_at = clock()
      from found f
      where r.project_id = f.project_id and r.id = f.id and r.status = 'waiting' and r.waits = f.ordinal
      returning r.project_id, r.id as run_id, r.moves, r.status, r.attempt, f.trigger_id, f.wait_kind
    ),
    logged as (
      insert into run_transitions (
        project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, moves, 'waiting', status,
        case when status = 'paused' then 'paused' when wait_kind = 'event' then 'event_received' else 'resumed' end,
        attempt, jsonb_build_object('event_trigger_id', trigger_id), clock() from back
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select project_id, run_id, status from back`.execute(tx.db);
  changesAppended(tx, "run");
  countTransitions(tx, rows.map(moveOf));
  await queueRuns(tx, rows);
  return rows.length;
}

function moveOf({ status }: Back): CountedMove {
  return { from_status: "waiting", to_status: status };
}

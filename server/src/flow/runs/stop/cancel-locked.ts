import type { Actor } from "../../../platform/actor.ts";
import { appendRunChanges, TRANSITION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { releaseSlots, wakeNext } from "../../limits/unblock-next.ts";
import { cancelWaits, type LockedWait } from "../../waits/cancel-waits.ts";
import { countTransitions } from "../count-transitions.ts";
import type { LockedRun } from "../lock-runs.ts";
import { afterRunsEnded, type EndedRun, notifyEnded } from "../settle/after-runs-ended.ts";
import { enqueueEndEntries } from "../settle/end-runs.ts";
import { LIVE_STATUSES, type RunCause, type RunStatus } from "../states.ts";
import { canceledError } from "./canceled-error.ts";

type Canceled = EndedRun & { prev_status: RunStatus; slots: string[] | null };

/** The cause of the requested runs; each descendant is canceled because of its parent. */
type Reason = {
  project_id: string;
  roots: readonly string[];
  /** For each descendant, the requested run that it descends from. */
  rootOf: ReadonlyMap<string, string>;
  cause: RunCause;
  reason: string | null;
  by: Actor;
};

function parentCanceled(root: string): object {
  return { code: "parent_canceled", message: `The run ${root}, from which it descends, was canceled.` };
}

/**
 * Ends locked runs in one statement: writes each transition, removes them from the queue and releases their slots. The
 * waits of waiting runs are locked too, and end with them. Returns those that were canceled.
 */
export async function cancelLocked(
  tx: Ctx & InTransaction,
  reason: Reason,
  runs: readonly LockedRun[],
  waits: readonly LockedWait[],
): Promise<EndedRun[]> {
  const { project_id, roots } = reason;
  const own = canceledError(reason.cause, reason);
  const inherited = JSON.stringify(
    Object.fromEntries([...reason.rootOf].map(([id, root]) => [id, parentCanceled(root)])),
  );
  const { rows } = await sql<Canceled>`
    with ended as (
      update runs set prev_status = status, status = 'canceled', transition_count = transition_count + 1, pause_requested = false,
        error = case when id = any(${[...roots]}::uuid[]) then ${JSON.stringify(own)}::jsonb else ${inherited}::jsonb -> id::text end,
        finished_at = clock(), updated_at = clock()
      where project_id = ${project_id} and id = any(${runs.map((run) => run.id)}::uuid[])
        and status = any(${LIVE_STATUSES}::text[])
      returning project_id, id as run_id, prev_status, transition_count, attempt, error, finished_at, workflow_run_id, awaited_by,
        has_dependents
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at)
      select project_id, run_id, transition_count, prev_status, 'canceled', error ->> 'code', attempt,
        jsonb_build_object('error', error), finished_at
      from ended
      returning ${TRANSITION}
    ),
    ${appendRunChanges()},
    dequeued as (
      delete from run_queue q using ended e where q.project_id = ${project_id} and q.run_id = e.run_id
      returning q.run_id, q.slots
    ),
    ${enqueueEndEntries({ isFailure: false })}
    select e.project_id, e.run_id, e.prev_status, e.workflow_run_id,
      e.awaited_by is not null or e.has_dependents as has_outbox_entries, d.slots
    from ended e left join dequeued d on d.run_id = e.run_id`.execute(tx.db);
  changesAppended(tx, "run");
  await releaseSlots(
    tx,
    project_id,
    rows.flatMap((row) => row.slots ?? []),
  );
  await wakeNext(tx, runs);
  const ended = new Set(rows.map((row) => row.run_id));
  await cancelWaits(
    tx,
    project_id,
    waits.filter((wait) => ended.has(wait.run_id)),
    reason,
  );
  notifyCanceled(tx, roots, rows);
  return rows;
}

function notifyCanceled(tx: Ctx & InTransaction, roots: readonly string[], canceled: readonly Canceled[]): void {
  countTransitions(
    tx,
    canceled.map(({ prev_status }) => ({ from_status: prev_status, to_status: "canceled" })),
  );
  notifyEnded(tx, canceled);
  afterRunsEnded(tx, canceled);
  const requested = new Set(roots);
  const below = canceled.filter((run) => !requested.has(run.run_id)).length;
  tx.afterCommit(({ metrics }) => metrics.bulkChildCancellations.inc(below));
}

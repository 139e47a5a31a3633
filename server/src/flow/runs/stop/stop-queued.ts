import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { type Granted, limitOf, wakeNext } from "../../limits/unblock-next.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";

/** `batch`: a bulk cancel lists the run, and will cancel it. */
export type Stop = "cancel" | "pause" | "batch";

/**
 * Marks the queued runs of these workflow runs, and their descendants: none is claimed anymore, even when unblocked.
 * Runs under a lease are marked too, so that they get no further attempt. A stopped run waits for no limit and no
 * circuit: it would be granted a slot that it cannot use.
 */
export async function stopQueued(
  tx: Ctx & InTransaction,
  project_id: string,
  workflow_run_ids: readonly string[],
  stop: Stop,
): Promise<void> {
  const isBelow = sql`q.workflow_run_id = any(${[...workflow_run_ids]}::uuid[]) and q.workflow_run_id is not null`;
  const stopped = await stopWhere(tx, project_id, isBelow, stop);
  if (stop === "cancel" && stopped > 0) await enqueueOutbox(tx, [cancelStopped(project_id)]);
}

/** Ends every marked run, including spawned runs that belong to no step. */
function cancelStopped(project_id: string) {
  return { project_id, transition_id: "stopped", kind: "cancel_stopped", target_id: project_id };
}

/** The same for runs by id; the caller arranges for their end. */
export async function stopQueuedRuns(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: readonly string[],
  stop: Stop,
): Promise<void> {
  await stopWhere(tx, project_id, sql`q.run_id = any(${[...run_ids]}::uuid[])`, stop);
}

/** Returns how many were stopped. */
async function stopWhere(tx: Ctx & InTransaction, project_id: string, condition: Sql, stop: Stop): Promise<number> {
  for (let stopped = 0; ; ) {
    const { rows } = await sql<Granted & { is_leased: boolean }>`
      with held as materialized (
        select q.run_id, q.granted_by, q.kept, q.limits, q.lease_until is not null as is_leased from run_queue q
        where q.project_id = ${project_id} and ${condition} and ${stop === "cancel" ? sql`q.stopped is distinct from 'cancel'` : sql`q.stopped is null`}
        order by q.run_id for update
      )
      update run_queue q set stopped = ${stop}, granted_by = null, kept = null,
        blocked_on = case when ${limitOf("q.blocked_on")} is null and not starts_with(q.blocked_on, 'circuit:') then q.blocked_on end
      from held h where q.project_id = ${project_id} and q.run_id = h.run_id
      returning q.job_id, q.concurrency_key, h.granted_by, h.kept, h.limits, h.is_leased`.execute(tx.db);
    stopped += rows.length;
    const leaving = rows.map((queued) => ({ project_id, queued }));
    await wakeNext(tx, leaving);
    // A run that was running may have spawned another while this waited for its row.
    if (!rows.some((row) => row.is_leased)) return stopped;
  }
}

/** In place of a limit: the run has no grant, but counts as a waiter, not a newcomer, under every limit. */
const RESUMED = "resume";

/**
 * Unblocks runs that a pause has stopped, at their old queue position: among the waiters of a limit their rank decides.
 * Paused time does not count towards `run_ttl_secs`: their expiry moves by it.
 */
export async function resumeQueued(
  tx: Ctx & InTransaction,
  project_id: string,
  resumed: readonly { id: string; paused_secs: number }[],
): Promise<void> {
  const { rows } = await sql<Lane & { blocked_on: string | null }>`
    with held as materialized (
      select q.run_id, g.paused_secs
      from json_to_recordset(${JSON.stringify(resumed)}::json) as g(id uuid, paused_secs float8)
      join run_queue q on q.project_id = ${project_id} and q.workflow_run_id = g.id and q.workflow_run_id is not null
        and q.stopped = 'pause'
      order by q.run_id for update of q
    )
    update run_queue q set stopped = null, expires_at = q.expires_at + h.paused_secs * interval '1 second',
      granted_by = case when q.lease_until is null and q.blocked_on is null then ${RESUMED} end, released_at = clock()
    from held h where q.project_id = ${project_id} and q.run_id = h.run_id
    returning q.project_id, q.host, q.rank_at, q.blocked_on`.execute(tx.db);
  wakeLanes(
    tx,
    rows.filter((row) => row.blocked_on === null),
  );
}

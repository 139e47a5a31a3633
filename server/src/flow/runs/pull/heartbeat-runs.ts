import { HEARTBEAT_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { RUN_PROGRESS_TOPIC } from "../settle/run-reports.ts";

type Progress = { percent: number; message?: string | null };

/** A run that a worker says it holds. */
export type WorkerRun = { run_id: string; attempt: number; lease_token: string };

export type Renewed = { extended: number; cancel: string[]; lost: string[] };

/**
 * Extends the leases of all runs of a worker in one statement, locked in order of their ids like everywhere; never
 * beyond a run's deadline. After it a heartbeat extends nothing: the lease shows whether heartbeats came until then, or
 * an outage of the service ended them. Returns which runs were canceled, and which it has lost otherwise. `is true` hides the guard
 * from the planner, which would walk all runs of the worker for each.
 */
export async function heartbeatRuns(
  ctx: Ctx,
  project_id: string,
  worker_id: string,
  held: readonly (WorkerRun & { progress?: Progress })[],
): Promise<Renewed> {
  if (held.length === 0) return { extended: 0, cancel: [], lost: [] };
  // A run that is named twice is one, with the newest progress.
  const distinct = new Map(held.map((run) => [`${run.run_id} ${run.attempt} ${run.lease_token}`, run]));
  const given = [...distinct.values()].sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  const { rows } = await sql<{ run_id: string; has_progress: boolean }>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g(run_id uuid, attempt int, lease_token uuid, progress jsonb)
    ),
    mine as materialized (
      select q.run_id, g.progress from given g, lateral (
        select q.run_id from run_queue q
        where q.project_id = ${project_id} and q.run_id = g.run_id and q.lease_token = g.lease_token
          and (q.worker_id = ${worker_id}) is true
          and (select r.attempt from runs r where r.project_id = ${project_id} and r.id = q.run_id) = g.attempt
        for update
      ) q
    ),
    extended as (
      update run_queue q set accepted_at = coalesce(q.accepted_at, clock()),
        lease_until = least(clock() + ${HEARTBEAT_LEASE_SECS} * interval '1 second', q.deadline)
      where q.project_id = ${project_id} and q.run_id = any(array(select run_id from mine)) and q.deadline > clock()
    ),
    progressed as (
      update runs r set updated_at = clock(), progress = jsonb_build_object('percent', m.progress -> 'percent',
        'message', m.progress -> 'message', 'updated_at', to_char(clock() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from mine m
      where m.progress is not null and r.project_id = ${project_id} and r.id = m.run_id and r.status = 'running'
    )
    select run_id, progress is not null as has_progress from mine`.execute(ctx.db);
  for (const { run_id, has_progress } of rows)
    if (has_progress) wake(ctx, RUN_PROGRESS_TOPIC, `${project_id}:${run_id}`);
  const extended = new Set(rows.map(({ run_id }) => run_id));
  const gone = given.filter(({ run_id }) => !extended.has(run_id));
  const canceled = await listCanceled(ctx, project_id, gone);
  const idsOf = (isCanceled: boolean) =>
    gone.flatMap(({ run_id }) => (canceled.has(run_id) === isCanceled ? [run_id] : []));
  return { extended: rows.length, cancel: idsOf(true), lost: idsOf(false) };
}

/**
 * In a later statement: the heartbeat may have waited for the commit of a cancel, whose run its snapshot still shows as
 * running.
 */
async function listCanceled(ctx: Ctx, project_id: string, gone: readonly WorkerRun[]): Promise<Set<string>> {
  if (gone.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    /* prepared */
    select r.id from unnest(${gone.map(({ run_id }) => run_id)}::uuid[], ${gone.map(({ attempt }) => attempt)}::int[]) as g(run_id, attempt)
    join runs r on r.project_id = ${project_id} and r.id = g.run_id and (r.status = 'canceled') is true and r.attempt = g.attempt`.execute(
    ctx.db,
  );
  return new Set(rows.map(({ id }) => id));
}

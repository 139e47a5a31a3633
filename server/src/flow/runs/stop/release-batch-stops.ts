import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { cancelRuns } from "./cancel-runs.ts";

const PAGE = 1_000;
const CANCEL_PAGE = 100;
const REASON = "The run that spawned it was in a bulk cancel.";

/**
 * Releases runs that bulk cancels have stopped but no longer select: the bulk cancel was canceled or gave up, or the
 * run has changed. Not while one is in progress in the project: it may still process them.
 */
export async function releaseBatchStops(ctx: Ctx, project_id: string): Promise<void> {
  await cancelSpawnedMeanwhile(ctx, project_id);
  for (;;) {
    const { rows } = await sql<Lane>`
      with held as materialized (
        select q.run_id from run_queue q
        where q.project_id = ${project_id} and q.stopped = 'batch' and not exists (
          select 1 from batch_operations b
          where b.project_id = ${project_id} and b.kind = 'cancel_all' and b.finished_at is null)
        order by q.run_id limit ${PAGE} for update skip locked
      )
      update run_queue q set stopped = case when exists (
        select 1 from workflow_runs w
        where w.project_id = ${project_id} and w.id = q.workflow_run_id and w.status = 'paused') then 'pause' end
      from held h where q.project_id = ${project_id} and q.run_id = h.run_id
      returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
    wakeLanes(ctx, rows);
    if (rows.length < PAGE) return;
  }
}

/**
 * Cancels descendants of a run that was in flight when a bulk cancel stopped it, and completed before the bulk cancel
 * processed it. Only such runs are newer than the bulk cancel that marked them.
 */
async function cancelSpawnedMeanwhile(ctx: Ctx, project_id: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ run_id: string }>`
      select q.run_id from run_queue q
      join runs r on r.project_id = q.project_id and r.id = q.run_id and r.parent_run_id is not null
      where q.project_id = ${project_id} and q.stopped = 'batch' and exists (
        select 1 from batch_operations b
        where b.project_id = ${project_id} and b.kind = 'cancel_all' and b.status = 'completed'
          and b.created_at < r.created_at and b.finished_at >= r.created_at)
      and not exists (
        select 1 from batch_operations b
        where b.project_id = ${project_id} and b.kind = 'cancel_all' and b.created_at >= r.created_at)
      order by q.run_id limit ${CANCEL_PAGE}`.execute(ctx.db);
    const run_ids = rows.map((row) => row.run_id);
    if (run_ids.length === 0) return;
    await cancelRuns(ctx, (_tx, cancel) =>
      cancel({ project_id, run_ids, reason: REASON, by: { id: null, name: "a bulk cancel" } }),
    );
  }
}

/** The projects in which a crash may have left such runs. */
export async function listBatchStops(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct q.project_id from run_queue q where q.stopped = 'batch'`.execute(ctx.db);
  return rows.map((row) => row.project_id);
}

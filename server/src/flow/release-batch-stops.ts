import { sql } from "kysely";
import type { Ctx } from "../platform/context.ts";
import { type Lane, wakeLanes } from "./lanes.ts";

const PAGE = 1_000;

/**
 * Lets go what bulk cancels have stopped and do not mean any more: they were canceled, gave up, or the run has changed.
 * While one is under way in the project it may still come to them.
 */
export async function releaseBatchStops(ctx: Ctx, project_id: string): Promise<void> {
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

/** The projects in which a crash may have left such runs. */
export async function listBatchStops(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct q.project_id from run_queue q where q.stopped = 'batch'`.execute(ctx.db);
  return rows.map((row) => row.project_id);
}

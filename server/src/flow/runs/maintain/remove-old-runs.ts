import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { firstIdAt } from "../../../platform/ids.ts";
import type { RemovedPage } from "../../../platform/retention/retention-entry.ts";
import { isAwaitedRun } from "../../workflows/maintain/remove-old-workflow-runs.ts";

/**
 * Deletes ended runs past RUN_RETENTION with all they reported, in one statement. Ids are ordered by time, so the oldest
 * runs are found by primary key; logs and stored transitions are dropped with their partitions. Derived transitions go
 * with their run; `removed_runs` records it for recounts.
 */
export async function removeOldRuns(ctx: Ctx, page: number): Promise<RemovedPage> {
  const { rows } = await sql<{ id: string }>`
    with old as materialized (
      select p.id as project_id, r.id from projects p, lateral (
        select r.id from runs r
        where r.project_id = p.id and r.id < ${firstIdAt(ctx.watch.nowMs() - ctx.config.run_retention_secs * 1_000)}
          and r.finished_at < clock() - ${ctx.config.run_retention_secs} * interval '1 second'
          and not ${isAwaitedRun}
        order by r.id limit ${page}
      ) r limit ${page}
    ),
    checkpoints as (delete from run_checkpoints d using old where d.project_id = old.project_id and d.run_id = old.id),
    usage as (delete from run_usage d using old where d.project_id = old.project_id and d.run_id = old.id),
    calls as (delete from run_tool_calls d using old where d.project_id = old.project_id and d.run_id = old.id),
    outputs as (delete from run_outputs d using old where d.project_id = old.project_id and d.run_id = old.id),
    waited as (delete from run_dependencies d using old where d.project_id = old.project_id and d.run_id = old.id),
    marked as (
      insert into removed_runs as m (project_id, ended_before)
      select distinct project_id, clock() - ${ctx.config.run_retention_secs} * interval '1 second' from old order by project_id
      on conflict (project_id) do update set ended_before = greatest(m.ended_before, excluded.ended_before)
    )
    delete from runs r using old where r.project_id = old.project_id and r.id = old.id
    returning r.id`.execute(ctx.db);
  return { removed: rows.length, more: rows.length === page };
}

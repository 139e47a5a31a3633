import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { RemovedPage } from "../../../platform/retention/retention-entry.ts";

const MAX_ITEMS = 10_000;

/**
 * Deletes ended workflow runs past WORKFLOW_RUN_RETENTION with their steps. Map items are deleted one pass earlier than
 * their run, since there may be many. A run locked by a retry is skipped. Decisions are dropped with their partitions;
 * waits and job runs expire by their own age.
 */
export async function removeOldWorkflowRuns(ctx: Ctx, page: number): Promise<RemovedPage> {
  const { rows } = await sql<{ runs: number; items: number }>`
    with old as materialized (
      select w.project_id, w.id from workflow_runs w
      where w.finished_at < clock() - ${ctx.config.workflow_run_retention_secs} * interval '1 second'
        and not ${isAwaitedWorkflowRun}
      order by w.finished_at limit ${page} for update skip locked
    ),
    items as (
      delete from map_items i using (
        select i.* from old, lateral (
          select i.project_id, i.workflow_run_id, i.step_ref, i.item_index from map_items i
          where i.project_id = old.project_id and i.workflow_run_id = old.id offset 0
        ) i
        limit ${MAX_ITEMS}
      ) g
      where i.project_id = g.project_id and i.workflow_run_id = g.workflow_run_id and i.step_ref = g.step_ref
        and i.item_index = g.item_index
      returning 1
    ),
    whole as materialized (
      select old.project_id, old.id from old where not exists (
        select 1 from map_items i where i.project_id = old.project_id and i.workflow_run_id = old.id)
    ),
    steps as (
      delete from step_runs s using whole where s.project_id = whole.project_id and s.workflow_run_id = whole.id
    ),
    maps as (
      delete from map_steps m using whole where m.project_id = whole.project_id and m.workflow_run_id = whole.id
    ),
    runs as (
      delete from workflow_runs w using whole where w.project_id = whole.project_id and w.id = whole.id returning 1
    )
    select (select count(*) from runs)::int as runs, (select count(*) from items)::int as items`.execute(ctx.db);
  const { runs = 0, items = 0 } = rows[0] ?? {};
  return { removed: runs + items, more: runs === page || items > 0 };
}

/**
 * A run `r` has ended and the step or item that started it has not: its workflow run is paused, and applies the result
 * once it is resumed. Retention skips such a run.
 */
export const isAwaitedRun: Sql<boolean> = sql`(r.workflow_run_id is not null and (
  exists (
    select 1 from step_runs s where s.project_id = r.project_id and s.workflow_run_id = r.workflow_run_id
      and s.step_ref = r.step_ref and s.run_id = r.id and s.finished_at is null)
  or exists (
    select 1 from map_items i where i.project_id = r.project_id and i.workflow_run_id = r.workflow_run_id
      and i.run_id = r.id and i.status = 'running')))`;

/** The same for a workflow run `w` that a step of another has started. */
const isAwaitedWorkflowRun: Sql<boolean> = sql`(w.parent_workflow_run_id is not null and (
  exists (
    select 1 from step_runs s where s.project_id = w.project_id and s.workflow_run_id = w.parent_workflow_run_id
      and s.step_ref = w.parent_step_ref and s.child_workflow_run_id = w.id and s.finished_at is null)
  or exists (
    select 1 from map_items i where i.project_id = w.project_id and i.workflow_run_id = w.parent_workflow_run_id
      and i.child_workflow_run_id = w.id and i.status = 'running')))`;

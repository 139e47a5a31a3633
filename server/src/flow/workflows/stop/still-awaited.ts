import { type RawBuilder, sql } from "kysely";

/**
 * A run `r` has ended and the step or item that started it has not: its workflow run is paused, and applies the result
 * once it is resumed. Retention skips such a run.
 */
export const isAwaitedRun: RawBuilder<boolean> = sql`(r.workflow_run_id is not null and (
  exists (
    select 1 from step_runs s where s.project_id = r.project_id and s.workflow_run_id = r.workflow_run_id
      and s.step_ref = r.step_ref and s.run_id = r.id and s.finished_at is null)
  or exists (
    select 1 from map_items i where i.project_id = r.project_id and i.workflow_run_id = r.workflow_run_id
      and i.run_id = r.id and i.status = 'running')))`;

/** The same for a workflow run `w` that a step of another has started. */
export const isAwaitedWorkflowRun: RawBuilder<boolean> = sql`(w.parent_workflow_run_id is not null and (
  exists (
    select 1 from step_runs s where s.project_id = w.project_id and s.workflow_run_id = w.parent_workflow_run_id
      and s.step_ref = w.parent_step_ref and s.child_workflow_run_id = w.id and s.finished_at is null)
  or exists (
    select 1 from map_items i where i.project_id = w.project_id and i.workflow_run_id = w.parent_workflow_run_id
      and i.child_workflow_run_id = w.id and i.status = 'running')))`;

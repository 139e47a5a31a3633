import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";

/**
 * Workflow runs with running steps whose children have ended: the child workflow run, the run of an item, or all
 * started items while others are pending. Recent ones are skipped: they may be being progressed.
 */
export async function listEndedBelow(
  ctx: Ctx,
  graceSecs: number,
  max: number,
): Promise<(WorkflowRunKey & { decisions: number })[]> {
  const grace = sql`clock() - ${graceSecs} * interval '1 second'`;
  const { rows } = await sql<WorkflowRunKey & { decisions: number }>`
    select w.project_id, w.id as workflow_run_id, w.decisions from (
      select distinct s.project_id, s.workflow_run_id from step_runs s, lateral (
        select 1 from workflow_runs c
        where c.project_id = s.project_id and c.id = s.child_workflow_run_id and c.finished_at < ${grace}
        union all
        select 1 from map_steps m
        where s.type = 'map' and m.project_id = s.project_id and m.workflow_run_id = s.workflow_run_id
          and m.step_ref = s.step_ref and (m.running = 0 or exists (
            select 1 from map_items i
            left join runs r on r.project_id = i.project_id and r.id = i.run_id
            left join workflow_runs c on c.project_id = i.project_id and c.id = i.child_workflow_run_id
            where i.project_id = m.project_id and i.workflow_run_id = m.workflow_run_id and i.step_ref = m.step_ref
              and i.status = 'running' and coalesce(r.finished_at, c.finished_at) < ${grace}))
        limit 1
      ) x
      where s.status = 'running' and s.type in ('map', 'sub_workflow') and s.updated_at < ${grace} and exists (
        select 1 from workflow_runs w
        where w.project_id = s.project_id and w.id = s.workflow_run_id and w.status = 'running')
      limit ${max}
    ) g
    join workflow_runs w on w.project_id = g.project_id and w.id = g.workflow_run_id and w.status = 'running'`.execute(
    ctx.db,
  );
  return rows;
}

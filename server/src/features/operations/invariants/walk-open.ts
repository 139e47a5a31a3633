import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";

/** A million waiting runs are walked in about two hours, at a few milliseconds per check. */
const PAGE = 2_000;
const GRACE_SECS = 60;
const NIL = "00000000-0000-0000-0000-000000000000";

const FIRST_RUN = { project_id: NIL, id: NIL };
const FIRST_WORKFLOW_RUN = { project_id: NIL, workflow_id: NIL, version_id: NIL, id: NIL };

const walksOf = perService(() => ({ run: FIRST_RUN, workflowRun: FIRST_WORKFLOW_RUN }));

/**
 * Runs that nothing would ever continue, in the next page of open ones: of those that the search index lists by
 * themselves, since no other index has them. Recent changes are skipped: their transaction may be open.
 */
export async function findForsakenRuns(ctx: Ctx): Promise<number> {
  const walk = walksOf(ctx);
  const { rows } = await sql<{ project_id: string; id: string; is_forsaken: boolean }>`
    select u.project_id, u.run_id as id, r.finished_at is null
      and r.updated_at < clock() - ${GRACE_SECS} * interval '1 second'
      and case r.status
        when 'pending' then q.run_id is null
        when 'running' then q.lease_until is null
        when 'waiting' then not exists (
          select 1 from event_triggers t
          where t.project_id = r.project_id and t.job_run_id = r.id and t.status = 'waiting')
        else false end as is_forsaken
    from (
      select u.project_id, u.run_id from unindexed_runs u
      where (u.project_id, u.run_id) > (${walk.run.project_id}, ${walk.run.id}) and u.ended_status is null
      order by u.project_id, u.run_id limit ${PAGE}
    ) u
    join runs r on r.project_id = u.project_id and r.id = u.run_id
    left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
    order by u.project_id, u.run_id`.execute(ctx.db);
  walk.run = (rows.length === PAGE && rows.at(-1)) || FIRST_RUN;
  return rows.filter(({ is_forsaken }) => is_forsaken).length;
}

/** Running workflow runs in which nothing runs or waits, in the next page of active ones. */
export async function findIdleWorkflowRuns(ctx: Ctx): Promise<number> {
  const walk = walksOf(ctx);
  const { project_id, workflow_id, version_id, id } = walk.workflowRun;
  const { rows } = await sql<typeof walk.workflowRun & { is_idle: boolean }>`
    select w.project_id, w.workflow_id, w.version_id, w.id,
      w.status = 'running' and w.stopped is null and w.updated_at < clock() - ${GRACE_SECS} * interval '1 second' and not exists (
        select 1 from step_runs s
        where s.project_id = w.project_id and s.workflow_run_id = w.id
          and (s.status in ('running', 'waiting') or s.compensation_status = 'running')) as is_idle
    from (
      select w.project_id, w.workflow_id, w.version_id, w.id, w.status, w.stopped, w.updated_at from workflow_runs w
      where w.finished_at is null
        and (w.project_id, w.workflow_id, w.version_id, w.id) > (${project_id}, ${workflow_id}, ${version_id}, ${id})
      order by w.project_id, w.workflow_id, w.version_id, w.id limit ${PAGE}
    ) w`.execute(ctx.db);
  walk.workflowRun = (rows.length === PAGE && rows.at(-1)) || FIRST_WORKFLOW_RUN;
  return rows.filter(({ is_idle }) => is_idle).length;
}

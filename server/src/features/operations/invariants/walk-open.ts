import { listIdleRuns, SCAN_START } from "../../../flow/workflows/maintain/list-idle-runs.ts";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { perService } from "../../../platform/service-state.ts";

/** A million waiting runs are scanned in about two hours, at a few milliseconds per check. */
const PAGE = 2_000;
const GRACE_SECS = 60;
const NIL = "00000000-0000-0000-0000-000000000000";

const FIRST_RUN = { project_id: NIL, id: NIL };

/** Where the last scans ended. */
const scanOf = perService(() => ({ run: FIRST_RUN, workflowRun: SCAN_START }));

/**
 * Runs that nothing would ever continue, in the next page of active ones. These are read from `unindexed_runs`: no other
 * index has all of them. Recent changes are skipped: their transaction may be open.
 */
export async function countStrandedRuns(ctx: Ctx): Promise<number> {
  const scan = scanOf(ctx);
  const { rows } = await sql<{ project_id: string; id: string; is_stranded: boolean }>`
    select u.project_id, u.run_id as id, r.finished_at is null
      and r.updated_at < clock() - ${GRACE_SECS} * interval '1 second'
      and case r.status
        when 'pending' then q.run_id is null
        when 'running' then q.lease_until is null
        when 'waiting' then not exists (
          select 1 from event_triggers t
          where t.project_id = r.project_id and t.job_run_id = r.id and t.status = 'waiting')
        else false end as is_stranded
    from (
      select u.project_id, u.run_id from unindexed_runs u
      where (u.project_id, u.run_id) > (${scan.run.project_id}, ${scan.run.id}) and u.ended_status is null
      order by u.project_id, u.run_id limit ${PAGE}
    ) u
    join runs r on r.project_id = u.project_id and r.id = u.run_id
    left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
    order by u.project_id, u.run_id`.execute(ctx.db);
  scan.run = (rows.length === PAGE && rows.at(-1)) || FIRST_RUN;
  return rows.filter(({ is_stranded }) => is_stranded).length;
}

/** Running workflow runs in which nothing runs or waits, in the next page of active ones. */
export async function countIdleWorkflowRuns(ctx: Ctx): Promise<number> {
  const scan = scanOf(ctx);
  const { idle, next } = await listIdleRuns(ctx, { after: scan.workflowRun, page: PAGE, graceSecs: GRACE_SECS });
  scan.workflowRun = next;
  return idle.filter(({ is_stopped }) => !is_stopped).length;
}

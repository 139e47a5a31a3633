import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { RunKey } from "../lock-runs.ts";

const NIL = "00000000-0000-0000-0000-000000000000";

export const FIRST_RUN: RunKey = { project_id: NIL, run_id: NIL };

type StrandedRun = RunKey & { status: string };
type ScanPage = { after: RunKey; page: number; graceSecs: number };

/**
 * Runs that nothing would ever continue, in the next page of active ones. These are read from `unindexed_runs`: no other
 * index has all of them. `next`: where the scan continues. Recent changes are skipped: their transaction may be open.
 */
export async function listStrandedRuns(
  ctx: Ctx,
  { after, page, graceSecs }: ScanPage,
): Promise<{ stranded: StrandedRun[]; next: RunKey }> {
  const { rows } = await sql<StrandedRun & { is_stranded: boolean }>`
    select u.project_id, u.run_id, r.status, r.finished_at is null
      and r.updated_at < clock() - ${graceSecs} * interval '1 second'
      and case r.status
        when 'pending' then q.run_id is null
        when 'running' then q.lease_until is null
        when 'waiting' then not exists (
          select 1 from event_triggers t
          where t.project_id = r.project_id and t.job_run_id = r.id and t.status = 'waiting')
        else false end as is_stranded
    from (
      select u.project_id, u.run_id from unindexed_runs u
      where (u.project_id, u.run_id) > (${after.project_id}, ${after.run_id}) and u.ended_status is null
      order by u.project_id, u.run_id limit ${page}
    ) u
    join runs r on r.project_id = u.project_id and r.id = u.run_id
    left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
    order by u.project_id, u.run_id`.execute(ctx.db);
  const next = (rows.length === page && rows.at(-1)) || FIRST_RUN;
  return { stranded: rows.filter(({ is_stranded }) => is_stranded), next };
}

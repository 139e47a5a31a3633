import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { RunKey } from "../lock-runs.ts";

const NIL = "00000000-0000-0000-0000-000000000000";

export const FIRST_RUN: RunKey = { project_id: NIL, run_id: NIL };

type StrandedRun = RunKey & { status: string };
/** `again`: runs that are looked at again, whichever page they are on. */
type ScanPage = { after: RunKey; page: number; graceSecs: number; again?: readonly RunKey[] };

/**
 * Runs that nothing would ever continue, in the next page of active ones. These are read from `unindexed_runs`: no other
 * index has all of them. `next`: where the scan continues. Recent changes are skipped: their transaction may be open.
 */
export async function listStrandedRuns(
  ctx: Ctx,
  { after, page, graceSecs, again = [] }: ScanPage,
): Promise<{ stranded: StrandedRun[]; next: RunKey }> {
  const { rows } = await sql<{ stranded: StrandedRun[]; next: RunKey | null }>`
    with walked as materialized (
      select u.project_id, u.run_id from unindexed_runs u
      where (u.project_id, u.run_id) > (${after.project_id}, ${after.run_id}) and u.ended_status is null
      order by u.project_id, u.run_id limit ${page}
    ), looked_at as (
      select w.project_id, w.run_id from walked w
      union
      select a.project_id, a.run_id from unnest(
        ${again.map((run) => run.project_id)}::uuid[], ${again.map((run) => run.run_id)}::uuid[]) as a(project_id, run_id)
    ), stranded as (
      select r.project_id, r.id as run_id, r.status
      from looked_at l
      join runs r on r.project_id = l.project_id and r.id = l.run_id
      left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
      where r.finished_at is null and r.updated_at < clock() - ${graceSecs} * interval '1 second'
        and case r.status
          when 'pending' then q.run_id is null
          when 'running' then q.lease_until is null
          when 'waiting' then not exists (
            select 1 from event_triggers t
            where t.project_id = r.project_id and t.job_run_id = r.id and t.status = 'waiting')
          else false end
    )
    select (select coalesce(json_agg(s), '[]') from stranded s) as stranded,
      (select to_json(w) from walked w order by w.project_id, w.run_id offset ${page - 1} limit 1) as next`.execute(
    ctx.db,
  );
  return { stranded: rows[0]?.stranded ?? [], next: rows[0]?.next ?? FIRST_RUN };
}

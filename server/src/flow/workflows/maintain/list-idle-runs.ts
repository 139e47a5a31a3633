import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";

const NIL = "00000000-0000-0000-0000-000000000000";

/** A position in the scan over active workflow runs. */
type Position = { project_id: string; workflow_id: string; version_id: string; workflow_run_id: string };
export const SCAN_START: Position = { project_id: NIL, workflow_id: NIL, version_id: NIL, workflow_run_id: NIL };

type IdleRun = WorkflowRunKey & { decisions: number; is_stopped: boolean };
type ScanPage = { after: Position; page: number; graceSecs: number };

/**
 * The running workflow runs in which nothing runs or waits, in the next page of active ones: a scan does not read all of
 * a million waiting runs at once. `next`: where it continues. Recent changes are skipped: their transaction may be open.
 */
export async function listIdleRuns(
  ctx: Ctx,
  { after, page, graceSecs }: ScanPage,
): Promise<{ idle: IdleRun[]; next: Position }> {
  const { project_id, workflow_id, version_id, workflow_run_id } = after;
  const { rows } = await sql<IdleRun & Position & { is_idle: boolean }>`
    select w.*, w.status = 'running' and w.updated_at < clock() - ${graceSecs} * interval '1 second' and not exists (
      select 1 from step_runs s
      where s.project_id = w.project_id and s.workflow_run_id = w.workflow_run_id
        and (s.status in ('running', 'waiting') or s.compensation_status = 'running')
    ) as is_idle
    from (
      select project_id, workflow_id, version_id, id as workflow_run_id, status, stopped is not null as is_stopped,
        updated_at, decisions
      from workflow_runs
      where finished_at is null
        and (project_id, workflow_id, version_id, id) > (${project_id}, ${workflow_id}, ${version_id}, ${workflow_run_id})
      order by project_id, workflow_id, version_id, id limit ${page}
    ) w
    order by w.project_id, w.workflow_id, w.version_id, w.workflow_run_id`.execute(ctx.db);
  return { idle: rows.filter((row) => row.is_idle), next: (rows.length === page && rows.at(-1)) || SCAN_START };
}

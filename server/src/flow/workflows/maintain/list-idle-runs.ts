import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";

const NIL = "00000000-0000-0000-0000-000000000000";

/** A position in the scan over active workflow runs. */
type Position = { project_id: string; workflow_id: string; version_id: string; workflow_run_id: string };
export const SCAN_START: Position = { project_id: NIL, workflow_id: NIL, version_id: NIL, workflow_run_id: NIL };

/** `again`: workflow runs that are looked at again, whichever page they are on. */
type ScanPage = { after: Position; page: number; graceSecs: number; again?: readonly WorkflowRunKey[] };
type IdleRun = WorkflowRunKey & { decisions: number; is_stopped: boolean };
export type StrandedStep = WorkflowRunKey & { step_run_id: string; trigger_id: string; generation: number };

/**
 * The running workflow runs in which nothing runs or waits, in the next page of active ones: a scan does not read all of
 * a million waiting runs at once. `next`: where it continues. Recent changes are skipped: their transaction may be open.
 */
export async function listIdleRuns(ctx: Ctx, scan: ScanPage): Promise<{ idle: IdleRun[]; next: Position }> {
  const { found: idle, next } = await walkActive<IdleRun>(
    ctx,
    scan,
    sql`
      select w.project_id, w.id as workflow_run_id, w.decisions, w.stopped is not null as is_stopped
      from looked_at l join workflow_runs w on w.project_id = l.project_id and w.id = l.workflow_run_id
      where w.status = 'running' and w.updated_at < clock() - ${scan.graceSecs} * interval '1 second' and not exists (
        select 1 from step_runs s
        where s.project_id = w.project_id and s.workflow_run_id = w.id
          and (s.status in ('running', 'waiting') or s.compensation_status = 'running'))`,
  );
  return { idle, next };
}

/** The steps that wait on a trigger that no longer exists, in the next page of active workflow runs. */
export async function listStrandedSteps(
  ctx: Ctx,
  scan: ScanPage,
): Promise<{ stranded: StrandedStep[]; next: Position }> {
  const { found: stranded, next } = await walkActive<StrandedStep>(
    ctx,
    scan,
    sql`
      select s.* from looked_at l cross join lateral (
        select s.project_id, s.workflow_run_id, s.id as step_run_id, s.event_trigger_id as trigger_id, s.generation
        from step_runs s
        where s.project_id = l.project_id and s.workflow_run_id = l.workflow_run_id and s.status = 'waiting'
          and s.event_trigger_id is not null and s.updated_at < clock() - ${scan.graceSecs} * interval '1 second'
        offset 0
      ) s
      where not exists (select 1 from event_triggers t where t.project_id = s.project_id and t.id = s.trigger_id)`,
  );
  return { stranded, next };
}

/** `of`: what is looked for among the rows of `looked_at`. */
async function walkActive<Found>(
  ctx: Ctx,
  { after, page, again = [] }: ScanPage,
  of: Sql,
): Promise<{ found: Found[]; next: Position }> {
  const { rows } = await sql<{ found: Found[]; next: Position | null }>`
    with walked as materialized (
      select w.project_id, w.workflow_id, w.version_id, w.id as workflow_run_id from workflow_runs w
      where w.finished_at is null and (w.project_id, w.workflow_id, w.version_id, w.id)
        > (${after.project_id}, ${after.workflow_id}, ${after.version_id}, ${after.workflow_run_id})
      order by w.project_id, w.workflow_id, w.version_id, w.id limit ${page}
    ), looked_at as (
      select w.project_id, w.workflow_run_id from walked w
      union
      select a.project_id, a.workflow_run_id from unnest(
        ${again.map((run) => run.project_id)}::uuid[], ${again.map((run) => run.workflow_run_id)}::uuid[])
        as a(project_id, workflow_run_id)
    ), found as (${of})
    select (select coalesce(json_agg(f), '[]') from found f) as found,
      (select to_json(w) from walked w order by w.project_id, w.workflow_id, w.version_id, w.workflow_run_id
       offset ${page - 1} limit 1) as next`.execute(ctx.db);
  return { found: rows[0]?.found ?? [], next: rows[0]?.next ?? SCAN_START };
}

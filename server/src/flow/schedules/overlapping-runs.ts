import type { Ctx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { LIVE_STATUSES } from "../runs/states.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { cancelWorkflowRun } from "../workflows/stop/cancel-workflow-run.ts";

type Due = { project_id: string; id: string; workflow_id: string | null; next_fire_at: string };

/** Overlapping runs are recent: older ones are not read. */
const MAX_SCANNED = 1_000;

/**
 * The runs of a schedule that have not ended, provided the due time has not been fired yet. Both are read in one
 * snapshot: a run that another instance starts for that time is never among them.
 */
export async function listOverlapping(ctx: Ctx, due: Due): Promise<string[]> {
  const { project_id, id, next_fire_at } = due;
  const { rows } = await sql<{ id: string }>`
    select r.id from (${due.workflow_id === null ? newestRuns(due) : newestWorkflowRuns(due)}) r
    where r.status = any(${LIVE_STATUSES}::text[]) and exists (
      select 1 from schedules s where s.project_id = ${project_id} and s.id = ${id}
        and s.next_fire_at = ${next_fire_at}::timestamptz and s.paused_at is null)`.execute(ctx.db);
  return rows.map((row) => row.id);
}

/** All runs of a schedule that have not ended. */
export async function listLiveRuns(ctx: Ctx, of: Omit<Due, "next_fire_at">): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from (${of.workflow_id === null ? newestRuns(of) : newestWorkflowRuns(of)}) r
    where r.status = any(${LIVE_STATUSES}::text[])`.execute(ctx.db);
  return rows.map((row) => row.id);
}

function newestRuns({ project_id, id }: Omit<Due, "next_fire_at">): Sql {
  return sql`select id, status from runs where project_id = ${project_id} and schedule_id = ${id}
    order by id desc limit ${MAX_SCANNED}`;
}

function newestWorkflowRuns({ project_id, id }: Omit<Due, "next_fire_at">): Sql {
  return sql`select id, status from workflow_runs where project_id = ${project_id} and schedule_id = ${id}
    order by id desc limit ${MAX_SCANNED}`;
}

/** Before the next run is started, each in its own transaction. After a crash in between, the time is still due. */
export async function cancelOverlapping(ctx: Ctx, due: Due): Promise<void> {
  const { project_id, workflow_id } = due;
  const reason = "The next run of its schedule was due before it had ended.";
  const why = { cause: "overlap", reason, by: { id: null, name: `schedule:${due.id}` } } as const;
  for (const id of await listOverlapping(ctx, due)) {
    if (workflow_id === null) await cancelRun(ctx, { project_id, run_id: id, ...why });
    else await cancelWorkflowRun(ctx, { project_id, workflow_run_id: id }, why);
  }
}

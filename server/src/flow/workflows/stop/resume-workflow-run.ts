import { type Actor, decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { resumeQueued } from "../../runs/stop/stop-queued.ts";
import { type Alongside, changeWorkflowRun, refuseEndedWorkflowRun } from "../change-workflow-run.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { workflowRunsChanged } from "../progress/progress-soon.ts";
import { enqueueProgress, WORKFLOWS_DUE_TOPIC, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { lockBelow, type RunBelow } from "./stop-below.ts";

/**
 * Resumes a paused workflow run, and the runs that were paused because of it. Their deadlines move by the paused time;
 * one that had not started is queued again, and waits for a slot again. Below a paused parent it continues when the
 * parent does. False: there is no such workflow run.
 */
export async function resumeWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: Actor,
  alongside: Alongside<C>,
): Promise<boolean> {
  async function resume(tx: C & InTransaction, run: LockedWorkflowRun, [parent]: readonly LockedWorkflowRun[]) {
    refuseEndedWorkflowRun(run);
    if (run.status !== "paused") return false;
    const isHeld = parent?.status === "paused";
    if (isHeld && run.pause_inherited) return false;
    await (isHeld ? inheritPause(tx, run) : resumeAll(tx, run, by));
    await alongside(tx, run);
    return true;
  }
  return changeWorkflowRun(ctx, key, resume, await findParent(ctx, key));
}

/** The parent never changes: it is locked first, so that concurrent resumes of both see each other. */
async function findParent(ctx: Ctx, { project_id, workflow_run_id }: WorkflowRunKey): Promise<WorkflowRunKey[]> {
  const { rows } = await sql<WorkflowRunKey>`
    select project_id, parent_workflow_run_id as workflow_run_id from workflow_runs
    where project_id = ${project_id} and id = ${workflow_run_id} and parent_workflow_run_id is not null`.execute(
    ctx.db,
  );
  return rows;
}

async function inheritPause(tx: Ctx & InTransaction, { project_id, id }: LockedWorkflowRun): Promise<void> {
  await sql`
    update workflow_runs set pause_inherited = true, updated_at = clock()
    where project_id = ${project_id} and id = ${id} and status = 'paused'`.execute(tx.db);
}

async function resumeAll(tx: Ctx & InTransaction, { project_id, id }: LockedWorkflowRun, by: Actor): Promise<void> {
  const { decided_by, decided_by_id } = decidedBy(by);
  const ids = resumedWith(id, await lockBelow(tx, { project_id, workflow_run_ids: [id] }));
  const { rows } = await sql<{ id: string; paused_secs: number }>`
    with held as materialized (
      select w.id, w.paused_at from workflow_runs w where w.project_id = ${project_id} and w.id = any(${ids}::uuid[])
    ),
    resumed as (
      update workflow_runs w set prev_status = w.status, transition_count = w.transition_count + 1,
        status = case when w.started_at is null then 'pending' else 'running' end,
        deadline = w.deadline + (clock() - w.paused_at), paused_at = null, pause_inherited = false, blocked_on = null,
        decisions = w.decisions + 1, updated_at = clock()
      from held h where w.project_id = ${project_id} and w.id = h.id and w.status = 'paused'
      returning w.id, w.decisions, extract(epoch from clock() - h.paused_at)::float8 as paused_secs
    ),
    ${enqueueProgress(project_id, sql`resumed`)},
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, decided_by,
        decided_by_id, created_at)
      select ${project_id}, r.id, r.decisions, null, 'resume',
        case when r.id = ${id} then ${`Resumed by ${by.name}.`} else 'Resumed by its parent workflow run.' end,
        case when r.id = ${id} then ${decided_by}::text end, case when r.id = ${id} then ${decided_by_id}::text end, clock()
      from resumed r
      returning ${DECISION}
    ),
    ${appendDecisions()}
    select id, paused_secs from resumed`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  await resumeQueued(tx, project_id, rows);
  wake(tx, "outbox");
  wake(tx, WORKFLOWS_DUE_TOPIC);
  workflowRunsChanged(
    tx,
    rows.filter((row) => row.id !== id).map((row) => ({ project_id, workflow_run_id: row.id })),
  );
}

/** The run and those that were paused because of it. Descendants of a manually paused run stay paused. */
function resumedWith(id: string, below: readonly RunBelow[]): string[] {
  const resumed = new Set([id]);
  for (const { id: child, parent_workflow_run_id, status, pause_inherited } of below) {
    if (status === "paused" && pause_inherited && resumed.has(parent_workflow_run_id)) resumed.add(child);
  }
  return [...resumed];
}

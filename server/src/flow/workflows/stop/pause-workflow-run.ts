import { type Actor, decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { type Alongside, changeWorkflowRun, refuseEndedWorkflowRun } from "../change-workflow-run.ts";
import type { LockedWorkflowRun } from "../progress/loaded-run.ts";
import { workflowRunsChanged } from "../progress/progress-soon.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import { lockBelow, stopRunsOf } from "./stop-below.ts";

/**
 * From the commit on, nothing starts in a paused workflow run or its descendants. Running steps continue to their end,
 * waits receive their events, sleeps continue, and the results are applied when the run is resumed. False: there is no
 * such workflow run.
 */
export function pauseWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  by: Actor,
  alongside: Alongside<C>,
): Promise<boolean> {
  return changeWorkflowRun(ctx, key, async (tx, run) => {
    refuseEndedWorkflowRun(run);
    if (run.status === "paused" && !run.pause_inherited) return false;
    await (run.status === "paused" ? keepPaused(tx, run) : pauseAll(tx, run, by));
    await alongside(tx, run);
    return true;
  });
}

/** It is paused with its parent: now it stays paused when the parent resumes. */
async function keepPaused(tx: Ctx & InTransaction, { project_id, id }: LockedWorkflowRun): Promise<void> {
  await sql`
    update workflow_runs set pause_inherited = false, updated_at = clock()
    where project_id = ${project_id} and id = ${id} and status = 'paused'`.execute(tx.db);
}

async function pauseAll(tx: Ctx & InTransaction, run: LockedWorkflowRun, by: Actor): Promise<void> {
  const { project_id, id } = run;
  const below = await lockBelow(tx, { project_id, workflow_run_ids: [id] });
  const live = below.filter(({ status, is_compensating }) => status !== "paused" && !is_compensating);
  await writePauses(tx, run, [id, ...live.map((each) => each.id)], by);
  await stopRunsOf(tx, project_id, [id, ...live.map((each) => each.id)], "pause");
  workflowRunsChanged(
    tx,
    live.map((each) => ({ project_id, workflow_run_id: each.id })),
  );
}

/** Each records in its own explanation who paused it. */
async function writePauses(
  tx: Ctx & InTransaction,
  { project_id, id }: LockedWorkflowRun,
  ids: readonly string[],
  by: Actor,
): Promise<void> {
  const { decided_by, decided_by_id } = decidedBy(by);
  await sql`
    with paused as (
      update workflow_runs set prev_status = status, status = 'paused', transition_count = transition_count + 1, paused_at = clock(),
        pause_inherited = id <> ${id}, decisions = decisions + 1, updated_at = clock()
      where project_id = ${project_id} and id = any(${[...ids]}::uuid[]) and status in ('pending', 'running')
      returning id, decisions
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, decided_by,
        decided_by_id, created_at)
      select ${project_id}, p.id, p.decisions, null, 'pause',
        case when p.id = ${id} then ${`Paused by ${by.name}.`} else 'Paused by its parent workflow run.' end,
        case when p.id = ${id} then ${decided_by}::text end, case when p.id = ${id} then ${decided_by_id}::text end, clock()
      from paused p
      returning ${DECISION}
    ),
    ${appendDecisions()}
    select 1`.execute(tx.db);
  changesAppended(tx, "workflow_run");
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { cancelStepTriggers } from "../waits/cancel-step-triggers.ts";
import type { WaitNews } from "../waits/news.ts";
import { fewRows } from "./few-rows.ts";
import type { StepCause, StepError } from "./graph-types.ts";
import { releaseWorkflowSlots } from "./release-workflow-slots.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";

export type WorkflowRunEnd = {
  run: LockedWorkflowRun;
  status: "completed" | "failed" | "timed_out" | "canceled";
  error: StepError | null;
  error_count: number;
  /** What its open steps are canceled for, and because of which step. */
  cause: StepCause | null;
  cause_ref: string | null;
  reason: string;
};

/**
 * Ends locked workflow runs: what has not ended in them is canceled, triggers with their steps, job runs by an effect
 * after the commit. Answers what is to be told then; `freed`: a run that waited for a slot may start.
 */
export async function endWorkflowRuns(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
): Promise<{ has_effects: boolean; freed: boolean; news: WaitNews[] }> {
  if (ends.length === 0) return { has_effects: false, freed: false, news: [] };
  const early = ends.filter((end) => end.status !== "completed");
  const canceled = early.length > 0 ? await cancelSteps(tx, early) : [];
  const news: WaitNews[] = [];
  for (const [project_id, steps] of groupBy(canceled, (step) => step.project_id)) {
    const waiting = steps.flatMap((step) => (step.event_trigger_id === null ? [] : [step.event_trigger_id]));
    if (waiting.length > 0) news.push(await cancelStepTriggers(tx, project_id, waiting));
  }
  const { caused } = await writeEnds(tx, ends);
  const freed = await releaseWorkflowSlots(
    tx,
    ends.map((end) => end.run).filter((run) => run.holds_slot),
  );
  return { has_effects: caused > 0 || canceled.some((step) => step.run_id !== null), freed, news };
}

type CanceledStep = { project_id: string; run_id: string | null; event_trigger_id: string | null };

async function cancelSteps(tx: Ctx & InTransaction, ends: readonly WorkflowRunEnd[]): Promise<CanceledStep[]> {
  const given = ends.map(({ run, cause, cause_ref, reason }) => ({
    project_id: run.project_id,
    workflow_run_id: run.id,
    cause,
    cause_ref,
    reason,
  }));
  const { rows } = await sql<CanceledStep>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g(project_id uuid, workflow_run_id uuid, cause text, cause_ref text, reason text)
      where ${fewRows("g.reason")}
    ),
    moved as (
      update step_runs s set prev_status = s.status, status = 'canceled', cause = g.cause, cause_ref = g.cause_ref,
        finished_at = clock(), updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.finished_at is null
      returning s.project_id, s.workflow_run_id, s.id, s.step_ref, s.generation, s.prev_status, s.run_id,
        s.event_trigger_id, g.reason
    ),
    caused as (
      insert into effects (project_id, transition_id, kind, target_id, detail, created_at)
      select project_id, id || ':' || generation, 'cancel_run', run_id::text,
        jsonb_build_object('cause', 'workflow_ended', 'reason', reason), clock()
      from moved where prev_status = 'running' and run_id is not null
    )
    select project_id, case when prev_status = 'running' then run_id end as run_id,
      case when prev_status = 'waiting' then event_trigger_id end as event_trigger_id
    from moved`.execute(tx.db);
  return rows;
}

/** A failure starts the job that the workflow names for it. */
async function writeEnds(tx: Ctx & InTransaction, ends: readonly WorkflowRunEnd[]): Promise<{ caused: number }> {
  const given = ends.map(({ run, status, error, error_count, reason }) => ({
    project_id: run.project_id,
    id: run.id,
    was: run.status,
    status,
    error,
    error_count,
    reason,
  }));
  const { rows } = await sql<{ caused: number; ended: number }>`
    /* kept */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json) as g(
        project_id uuid, id uuid, was text, status text, error jsonb, error_count int, reason text)
      where ${fewRows("g.status")}
    ),
    ended as (
      update workflow_runs w set prev_status = w.status, status = g.status, moves = w.moves + 1, error = g.error,
        error_count = g.error_count, phase = null, parked_on = null, paused_at = null, holds_slot = false,
        decisions = w.decisions + 1, finished_at = clock(), updated_at = clock()
      from given g where w.project_id = g.project_id and w.id = g.id and w.status = g.was
      returning w.project_id, w.id, w.workflow_id, w.status, w.moves, w.decisions, g.reason
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, decision_type, reason, created_at)
      select project_id, id, decisions, 'end', reason, clock() from ended
    ),
    caused as (
      insert into effects (project_id, transition_id, kind, target_id, created_at)
      select e.project_id, e.id || ':' || e.moves, 'workflow_on_failure', f.on_failure_job_id::text, clock()
      from ended e, lateral (
        select f.on_failure_job_id from workflows f
        where f.project_id = e.project_id and f.id = e.workflow_id and f.on_failure_job_id is not null
      ) f
      where e.status in ('failed', 'timed_out')
      returning 1
    )
    select (select count(*) from caused)::int as caused, (select count(*) from ended)::int as ended`.execute(tx.db);
  if (rows[0]?.ended !== ends.length) throw new Error("a workflow run was changed by somebody without the lock");
  return { caused: rows[0].caused };
}

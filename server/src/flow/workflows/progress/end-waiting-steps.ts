import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { StepError } from "../plan/definition.ts";
import { enqueueProgress, type WorkflowRunKey } from "../workflow-run-changes.ts";
import { lockWorkflowRuns } from "./load-runs.ts";
import { workflowRunsChanged } from "./progress-soon.ts";

export type WaitEnd = {
  workflow_run_id: string;
  step_run_id: string;
  trigger_id: string;
  generation: number;
  result: { kind: "completed"; output: unknown } | { kind: "failed"; error: StepError };
  /** Shown in explain. */
  reason?: string;
};

/** Call it before the triggers of waiting steps are locked. The holder of a workflow run's lock may write its steps. */
export async function lockRunsOfSteps(
  tx: Ctx & InTransaction,
  project_id: string,
  workflow_run_ids: readonly string[],
): Promise<void> {
  await lockWorkflowRuns(
    tx,
    workflow_run_ids.map((workflow_run_id) => ({ project_id, workflow_run_id })),
  );
}

/**
 * Ends waiting steps, in the transaction that resolved their triggers and under the locks of their workflow runs. A
 * step that was reset since, or waits on another trigger, is skipped. Returns how many workflow runs were changed; they
 * are progressed after the commit. Each row carries its decision: one more join was a nested loop over 500 × 500 rows.
 * The guard is a `case` for the planner's sake, as in `endTriggers`.
 */
export async function endWaitingSteps(
  tx: Ctx & InTransaction,
  project_id: string,
  ends: readonly WaitEnd[],
): Promise<number> {
  if (ends.length === 0) return 0;
  const { rows } = await sql<WorkflowRunKey>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(ends.map((end) => rowOf(project_id, end)))}::json) as g(
        project_id uuid, workflow_run_id uuid, step_run_id uuid, trigger_id uuid, generation int, status text,
        output jsonb, error jsonb, decision_type text, reason text)
      where ${fewRows("g.status")}
    ),
    found as materialized (
      select g.*, s.step_ref from given g, lateral (
        select s.step_ref from step_runs s
        where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.id = g.step_run_id offset 0
      ) s
    ),
    moved as (
      update step_runs s set prev_status = s.status, status = f.status, output = f.output, error = f.error,
        finished_at = clock(), updated_at = clock()
      from found f
      where s.project_id = f.project_id and s.workflow_run_id = f.workflow_run_id and s.step_ref = f.step_ref
        and case when s.status = 'waiting' then true else false end and s.generation = f.generation
        and s.event_trigger_id = f.trigger_id
      returning s.project_id, s.workflow_run_id, s.step_ref, f.decision_type, f.reason
    ),
    grouped as (
      select project_id, workflow_run_id, count(*)::int as count, array_agg(step_ref order by step_ref) as refs,
        array_agg(decision_type order by step_ref) as types, array_agg(reason order by step_ref) as reasons
      from moved group by project_id, workflow_run_id
    ),
    counted as (
      update workflow_runs w set decisions = w.decisions + m.count, updated_at = clock()
      from grouped m where w.project_id = m.project_id and w.id = m.workflow_run_id
      returning w.project_id, w.id, w.decisions - m.count as known_decisions, m.refs, m.types, m.reasons
    ),
    decided as (
      insert into workflow_decisions (
        project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, created_at)
      select c.project_id, c.id, c.known_decisions + d.nth, d.step_ref, d.decision_type, d.reason, clock()
      from counted c, unnest(c.refs, c.types, c.reasons) with ordinality as d(step_ref, decision_type, reason, nth)
      returning ${DECISION}
    ),
    ${appendDecisions()},
    ${enqueueProgress(project_id, sql`counted`)}
    select project_id, id as workflow_run_id from counted`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  workflowRunsChanged(tx, rows);
  return rows.length;
}

function rowOf(project_id: string, { result, reason, ...end }: WaitEnd): object {
  if (result.kind === "completed") {
    const decision = { decision_type: "event", reason: reason ?? "its wait completed" };
    return { project_id, ...end, ...decision, status: "completed", output: result.output, error: null };
  }
  const decision = { decision_type: "fail", reason: reason ?? result.error.message };
  return { project_id, ...end, ...decision, status: "failed", output: null, error: result.error };
}

import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { fewRows } from "./few-rows.ts";
import type { StepError } from "./graph-types.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { progressCaused } from "./progress-effects.ts";

export type WaitEnd = {
  workflow_run_id: string;
  step_run_id: string;
  trigger_id: string;
  generation: number;
  result: { kind: "completed"; output: unknown } | { kind: "failed"; error: StepError };
  /** Told in explain. */
  reason?: string;
};

/** Before triggers of steps are locked: their workflow runs. Whoever has those may write the steps. */
export async function lockStepRuns(
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
 * Ends steps that wait, in the transaction that resolved their triggers and under the locks of their workflow runs. A
 * step that was reset since, or waits with another trigger, is left alone. Answers the workflow runs to be progressed.
 */
export async function endWaitingSteps(
  tx: Ctx & InTransaction,
  project_id: string,
  ends: readonly WaitEnd[],
): Promise<string[]> {
  if (ends.length === 0) return [];
  const { rows } = await sql<{ workflow_run_id: string }>`
    /* kept */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(ends.map(rowOf))}::json) as g(
        workflow_run_id uuid, step_run_id uuid, trigger_id uuid, generation int, status text, output jsonb, error jsonb,
        decision_type text, reason text)
      where ${fewRows("g.status")}
    ),
    found as materialized (
      select g.*, s.step_ref from given g, lateral (
        select s.step_ref from step_runs s
        where s.project_id = ${project_id} and s.workflow_run_id = g.workflow_run_id and s.id = g.step_run_id
      ) s
    ),
    moved as (
      update step_runs s set prev_status = s.status, status = f.status, output = f.output, error = f.error,
        finished_at = clock(), updated_at = clock()
      from found f
      where s.project_id = ${project_id} and s.workflow_run_id = f.workflow_run_id and s.step_ref = f.step_ref
        and s.status = 'waiting' and s.generation = f.generation and s.event_trigger_id = f.trigger_id
      returning s.workflow_run_id, s.step_ref, f.decision_type, f.reason
    ),
    numbered as (
      select m.*, (row_number() over (partition by m.workflow_run_id order by m.step_ref))::int as nth,
        (count(*) over (partition by m.workflow_run_id))::int as total
      from moved m
    ),
    counted as (
      update workflow_runs w set decisions = w.decisions + n.total, updated_at = clock()
      from numbered n where w.project_id = ${project_id} and w.id = n.workflow_run_id and n.nth = 1
      returning w.id, w.decisions
    ),
    decided as (
      insert into workflow_decisions (
        project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, created_at)
      select ${project_id}, n.workflow_run_id, c.decisions - n.total + n.nth, n.step_ref, n.decision_type, n.reason, clock()
      from numbered n join counted c on c.id = n.workflow_run_id
    ),
    ${progressCaused(project_id, sql`(select distinct workflow_run_id as id from moved) m`)}
    select distinct workflow_run_id from moved`.execute(tx.db);
  return rows.map((row) => row.workflow_run_id);
}

function rowOf({ result, reason, ...end }: WaitEnd): object {
  if (result.kind === "completed") {
    const told = { decision_type: "event", reason: reason ?? "what it waited for has come" };
    return { ...end, ...told, status: "completed", output: result.output, error: null };
  }
  const told = { decision_type: "fail", reason: reason ?? result.error.message };
  return { ...end, ...told, status: "failed", output: null, error: result.error };
}

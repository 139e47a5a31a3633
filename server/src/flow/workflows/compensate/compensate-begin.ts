import { decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { hasCompletedItems } from "../map/completed-items.ts";
import type { CompensationStatus, PlannedEnd, WorkflowRunEnd } from "../progress/loaded-run.ts";
import { findWorkflowVersion, type WorkflowVersion } from "../start/workflow-version.ts";
import { type CompensableStep, hasCompensations, mayCompensate } from "./compensate-plan.ts";

/**
 * Starts the compensation of locked workflow runs that are about to end. They keep running, without a deadline; paused
 * ones are resumed, since canceling a paused run must end it. The next step is an outbox entry, so that a crash loses
 * nothing.
 */
export async function beginCompensations(tx: Ctx & InTransaction, ends: readonly DeferredEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const { rows } = await sql<{ begun: number }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(ends.map(rowOf))}::json) as g(
        project_id uuid, id uuid, was text, planned_end jsonb, error jsonb, error_count int, reason text,
        decided_by text, decided_by_id text)
      where ${fewRows("g.was")}
    ),
    begun as (
      update workflow_runs w set prev_status = case when w.status = 'running' then w.prev_status else w.status end,
        status = 'running', transition_count = w.transition_count + (w.status <> 'running')::int, phase = 'compensating',
        planned_end = g.planned_end, error = g.error, error_count = g.error_count, deadline = null, paused_at = null,
        pause_inherited = false, stopped = null, decisions = w.decisions + 1, updated_at = clock()
      from given g where w.project_id = g.project_id and w.id = g.id and w.status = g.was and w.phase is null
      returning w.project_id, w.id, w.decisions, g.reason, g.decided_by, g.decided_by_id
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, decision_type, reason, decided_by, decided_by_id,
        created_at)
      select project_id, id, decisions, 'compensate', reason, decided_by, decided_by_id, clock() from begun
      returning ${DECISION}
    ),
    ${appendDecisions()},
    to_progress as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      select project_id, id::text, 'progress', id::text, clock() from begun
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )
    select count(*)::int as begun from begun`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  if (rows[0]?.begun !== ends.length) throw new Error("a workflow run was changed without the lock");
}

function rowOf({ run, error_count, ...planned_end }: DeferredEnd): object {
  const { status, error } = planned_end;
  const reason = `${planned_end.reason}; completed steps are compensated before the run ends as ${status}`;
  const key = { project_id: run.project_id, id: run.id, was: run.status };
  return { ...key, planned_end, error, error_count, reason, ...decidedBy(planned_end.by) };
}

/** An end that is postponed until the compensations have ended. */
type DeferredEnd = WorkflowRunEnd & { status: PlannedEnd["status"] };

/**
 * Which of these ends are postponed: those of runs that did not complete and have steps to compensate. The end of a
 * compensating run is not postponed again. Runs no query if no step names a compensation.
 */
export async function findDeferredEnds(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
): Promise<DeferredEnd[]> {
  const candidates: { end: DeferredEnd; version: WorkflowVersion }[] = [];
  for (const end of ends) {
    if (!isEarly(end) || end.run.planned_end !== null) continue;
    const version = await findWorkflowVersion(tx, end.run.project_id, end.run.version_id);
    if (hasCompensations(version.definition)) candidates.push({ end, version });
  }
  if (candidates.length === 0) return [];
  const steps = await readCompensable(
    tx,
    candidates.map(({ end }) => end),
  );
  return candidates
    .filter(({ end, version }) => mayCompensate(version.definition, steps.get(end.run.id) ?? new Map()))
    .map(({ end }) => end);
}

function isEarly(end: WorkflowRunEnd): end is DeferredEnd {
  return end.status !== "completed";
}

type Row = Pick<CompensableStep, "status" | "completion"> & {
  workflow_run_id: string;
  step_ref: string;
  compensation_status: CompensationStatus | null;
  has_completed_items: boolean;
};

async function readCompensable(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
): Promise<Map<string, Map<string, CompensableStep>>> {
  const keys = ends.map(({ run }) => ({ project_id: run.project_id, id: run.id, one: "" }));
  const { rows } = await sql<Row>`
    select s.workflow_run_id, s.step_ref, s.status, s.completion, s.compensation_status,
      ${hasCompletedItems("s")} as has_completed_items
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid, one text)
    join step_runs s on s.project_id = g.project_id and s.workflow_run_id = g.id
    where ${fewRows("g.one")}`.execute(tx.db);
  const ofRuns = [...groupBy(rows, (row) => row.workflow_run_id)];
  return new Map(ofRuns.map(([id, steps]) => [id, new Map(steps.map((step) => [step.step_ref, compensable(step)]))]));
}

function compensable({ status, completion, compensation_status, has_completed_items }: Row): CompensableStep {
  const compensation = compensation_status && { status: compensation_status };
  return { status, completion, compensation, hasCompletedItems: has_completed_items };
}

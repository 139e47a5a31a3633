import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { compensationColumns } from "../compensate/compensate-plan.ts";
import { ackProgress } from "../workflow-run-changes.ts";
import type { LoadedRun, LoadedStep } from "./loaded-run.ts";

/**
 * Writes the changes of many workflow runs in one statement: their steps, the decisions, the outbox entries. Under
 * their locks, so the guards never fail; if one did, nothing would be written.
 */
export async function writeSteps(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const old = loadedRuns.filter((loaded) => !loaded.isNew && hasChanges(loaded));
  if (old.length === 0) return;
  const changed = old.flatMap(changedSteps);
  const sent = sql<{ moved: number }>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(changed)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, was text, status text, has_output boolean,
        output jsonb, error jsonb, cause text, cause_ref text, run_id uuid, event_trigger_id uuid,
        child_workflow_run_id uuid, message text, has_input boolean, input jsonb, completion int)
      where ${fewRows("g.was")}
    ),
    moved as (
      update step_runs s set prev_status = s.status, status = g.status,
        output = case when g.has_output then g.output else s.output end, error = g.error, cause = g.cause,
        cause_ref = g.cause_ref, run_id = g.run_id, event_trigger_id = g.event_trigger_id,
        child_workflow_run_id = g.child_workflow_run_id, message = coalesce(g.message, s.message),
        input = case when g.has_input then g.input else s.input end, completion = coalesce(g.completion, s.completion),
        started_at = case when g.was = 'pending' and g.status not in ('skipped', 'canceled') then clock() else s.started_at end,
        finished_at = case when g.status in ('completed', 'failed', 'skipped', 'canceled') then clock() end,
        updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
        and s.generation = g.generation and s.status = g.was
      returning 1
    ),
    counted as (
      update workflow_runs w set decisions = w.decisions + g.count, error_count = g.failed, updated_at = clock()
      from json_to_recordset(${JSON.stringify(countsOf(old))}::json)
        as g(project_id uuid, id uuid, count int, failed int, one text)
      where w.project_id = g.project_id and w.id = g.id and ${fewRows("g.one")}
    ),
    ${ackProgress(old)},
    ${decisionsAndOutbox(old)}
    select count(*)::int as moved from moved`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  for (const loaded of old) loaded.run.decisions += loaded.decisions.length; // before the ends are written, whose ordinals follow
  const { rows } = await sent;
  if (rows[0]?.moved !== changed.length) throw new Error("steps were changed without the lock");
  if (old.some((loaded) => loaded.outbox.length > 0)) wake(tx, "outbox");
}

/** Two more parts of the statement: the decisions, and the outbox entries for their consequences. */
export function decisionsAndOutbox(loadedRuns: readonly LoadedRun[]): Sql {
  return sql`
    decided as (
      insert into workflow_decisions (
        project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, detail, created_at)
      select g.project_id, g.workflow_run_id, g.ordinal, g.step_ref, g.decision_type, g.reason, g.detail, clock()
      from json_to_recordset(${JSON.stringify(loadedRuns.flatMap(decisionsOf))}::json) as g(
        project_id uuid, workflow_run_id uuid, ordinal int, step_ref text, decision_type text, reason text, detail jsonb)
      returning ${DECISION}
    ),
    ${appendDecisions()},
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select e.project_id, e.transition_id, e.kind, e.target_id, e.detail, clock()
      from json_to_recordset(${JSON.stringify(loadedRuns.flatMap((loaded) => loaded.outbox))}::json)
        as e(project_id uuid, transition_id text, kind text, target_id text, detail jsonb)
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )`;
}

/** If only items of a map have moved there is nothing to write. */
function hasChanges(loaded: LoadedRun): boolean {
  if (loaded.decisions.length + loaded.outbox.length > 0) return true;
  return [...loaded.steps.values()].some((step) => step.status !== step.was);
}

function changedSteps(loaded: LoadedRun): object[] {
  return [...loaded.steps]
    .filter(([, step]) => step.status !== step.was)
    .map(([ref, step]) => stepRow(loaded, ref, step));
}

export function stepRow(loaded: LoadedRun, step_ref: string, step: LoadedStep): object {
  const { run, outputs, fresh } = loaded;
  const { generation, was, status, error, cause, cause_ref, run_id, event_trigger_id, child_workflow_run_id } = step;
  const has_output = fresh.has(step_ref);
  return {
    project_id: run.project_id,
    workflow_run_id: run.id,
    step_ref,
    generation,
    was,
    status,
    ...(has_output && { has_output, output: outputs.get(step_ref) }),
    error,
    cause,
    cause_ref,
    run_id,
    event_trigger_id,
    child_workflow_run_id,
    message: step.message, // JSON omits it if undefined
    ...compensationColumns(loaded, step_ref, step),
  };
}

/** A completing run is counted with its end, which writes its row once more. */
function countsOf(loadedRuns: readonly LoadedRun[]): object[] {
  return loadedRuns
    .filter((loaded) => loaded.decisions.length > 0 && loaded.end?.kind !== "complete")
    .map((loaded) => ({ project_id: loaded.run.project_id, id: loaded.run.id, ...countOf(loaded), one: "" }));
}

function countOf({ decisions, steps }: LoadedRun): { count: number; failed: number } {
  let failed = 0;
  for (const { status } of steps.values()) if (status === "failed") failed++;
  return { count: decisions.length, failed };
}

function decisionsOf({ run, decisions }: LoadedRun): object[] {
  return decisions.map((decision, index) => ({
    project_id: run.project_id,
    workflow_run_id: run.id,
    ordinal: run.decisions + index + 1,
    ...decision,
  }));
}

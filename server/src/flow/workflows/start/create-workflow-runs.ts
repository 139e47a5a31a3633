import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { newId } from "../../../platform/ids.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { isSpent } from "../../budget/lock-budgets.ts";
import { insertCancelKeys } from "../../runs/create/cancel-keys.ts";
import { addDecision, emptyLoadedRun, type LoadedRun, type LoadedStep } from "../progress/loaded-run.ts";
import { decisionsAndOutbox, stepRow } from "../progress/write-steps.ts";
import type { CreatedWorkflowRun, NewWorkflowRun } from "./new-workflow-run.ts";
import { findWorkflowVersion } from "./workflow-version.ts";

/**
 * Creates workflow runs in one statement: the run, all its steps in their loaded state, the decisions. A run missing
 * from the result was not created: its workflow has changed since it was prepared, or was deleted; or it was requested
 * by a caller, and the budget is spent. If something was reserved for its first steps (`isFunded`), the budget was not
 * spent before, though that reservation may exhaust it now.
 */
export async function createWorkflowRuns(
  tx: Ctx & InTransaction,
  newRuns: readonly NewWorkflowRun[],
  started: readonly LoadedRun[],
): Promise<Map<string, CreatedWorkflowRun>> {
  if (newRuns.length === 0) return new Map();
  const loadedRuns = new Map(started.map((loaded) => [loaded.run.id, loaded]));
  const all: LoadedRun[] = [];
  for (const run of newRuns) all.push(loadedRuns.get(run.id) ?? (await pendingRun(tx, run)));
  const rows = newRuns.map((run, index) => runRow(run, all[index] as LoadedRun, loadedRuns.has(run.id)));
  const created = await insertRuns(tx, rows, all, insertCancelKeys("workflow_run", newRuns));
  for (const loaded of started) loaded.run.decisions += loaded.decisions.length;
  if (started.some((loaded) => loaded.outbox.length > 0)) wake(tx, "outbox");
  return new Map(created.map((run) => [run.id, run]));
}

/** Created pending. A missing slot is found later, and recorded then. */
async function pendingRun(tx: Ctx, run: NewWorkflowRun): Promise<LoadedRun> {
  const loaded = await newLoadedRun(tx, run);
  const { scheduled_at, delay_secs } = run;
  if (scheduled_at !== null) addDecision(loaded, "hold", null, `it is not due before ${scheduled_at}`);
  else if (delay_secs) addDecision(loaded, "hold", null, `it starts ${delay_secs} s after it was triggered`);
  return loaded;
}

function runRow(run: NewWorkflowRun, { version, decisions, isFunded }: LoadedRun, is_started: boolean): object {
  const { body_hash: _, is_limited: _limited, cancel_keys: _keys, ...columns } = run;
  const { timeout_secs } = version.definition;
  return { ...columns, is_started, timeout_secs, decisions: decisions.length, is_funded: isFunded };
}

async function insertRuns(
  tx: Ctx & InTransaction,
  runs: object[],
  loadedRuns: LoadedRun[],
  cancelKeys: Sql,
): Promise<CreatedWorkflowRun[]> {
  const { rows } = await sql<CreatedWorkflowRun>`
    /* prepared */
    with given as materialized (
      select g.*, coalesce(g.scheduled_at, clock() + coalesce(g.delay_secs, 0) * interval '1 second')::timestamptz(3) as due_at
      from json_to_recordset(${JSON.stringify(runs)}::json) as g(
        project_id uuid, id uuid, workflow_id uuid, workflow_revision int, version_id uuid, version int,
        canary_id uuid, environment_id uuid, payload jsonb, tags jsonb, metadata jsonb, routing_key text,
        idempotency_key text, trigger_type text, created_by text, created_by_id text, schedule_id uuid, batch_id uuid, scheduled_at timestamptz, delay_secs float8,
        parent_workflow_run_id uuid, parent_step_ref text, parent_generation int, root_workflow_run_id uuid, depth int, traceparent text,
        is_started boolean, timeout_secs int, decisions int, is_funded boolean)
      cross join lateral (
        select 1 from workflows f where f.project_id = g.project_id and f.id = g.workflow_id
          and f.revision = g.workflow_revision and f.deleted_at is null offset 0
      ) f
      where g.trigger_type <> 'api' or g.is_funded or not exists (
        select 1 from project_budgets b where b.project_id = g.project_id and ${isSpent})
    ),
    created as (
      insert into workflow_runs (
        project_id, id, workflow_id, version_id, version, canary_id, environment_id, status, payload, tags, metadata,
        routing_key, idempotency_key, trigger_type, created_by, created_by_id, schedule_id, batch_id, decisions, timeout_secs, scheduled_at,
        parent_workflow_run_id, parent_step_ref, parent_generation, root_workflow_run_id, depth, traceparent, holds_slot, started_at,
        deadline, created_at, updated_at)
      select project_id, id, workflow_id, version_id, version, canary_id, environment_id,
        case when is_started then 'running' else 'pending' end, payload, tags, metadata, routing_key, idempotency_key,
        trigger_type, created_by, created_by_id, schedule_id, batch_id, decisions, timeout_secs, due_at,
        parent_workflow_run_id, parent_step_ref, parent_generation, root_workflow_run_id, depth, traceparent, is_started,
        case when is_started then clock() end,
        case when is_started then clock() + timeout_secs * interval '1 second' end, clock(), clock()
      from given
      returning id, status, timeout_secs, scheduled_at, started_at, deadline, created_at
    ),
    stepped as (
      insert into step_runs (
        project_id, id, workflow_run_id, step_ref, position, type, status, prev_status, generation, output, error,
        cause, cause_ref, run_id, event_trigger_id, child_workflow_run_id, message, input, completion, started_at, finished_at, created_at, updated_at)
      select s.project_id, s.id, s.workflow_run_id, s.step_ref, s.position, s.type, s.status,
        case when s.status <> 'pending' then 'pending' end, 1, s.output, s.error, s.cause, s.cause_ref, s.run_id,
        s.event_trigger_id, s.child_workflow_run_id, s.message, s.input, s.completion, case when s.status not in ('pending', 'skipped', 'canceled') then clock() end,
        case when s.status in ('completed', 'failed', 'skipped', 'canceled') then clock() end, clock(), clock()
      from json_to_recordset(${JSON.stringify(loadedRuns.flatMap(stepRows))}::json) as s(
        project_id uuid, id uuid, workflow_run_id uuid, step_ref text, position int, type text, status text,
        output jsonb, error jsonb, cause text, cause_ref text, run_id uuid, event_trigger_id uuid,
        child_workflow_run_id uuid, message text, input jsonb, completion int)
      where s.workflow_run_id in (select id from created)
    ),
    ${decisionsAndOutbox(loadedRuns)}${cancelKeys}
    select * from created`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  return rows;
}

function stepRows(loaded: LoadedRun): object[] {
  return [...loaded.steps].map(([ref, step], position) => ({
    ...stepRow(loaded, ref, step),
    id: step.id,
    position,
    type: loaded.version.byRef.get(ref)?.type,
  }));
}

/** A workflow run that is being created, loaded before any of it is written. */
export async function newLoadedRun(ctx: Ctx, newRun: NewWorkflowRun): Promise<LoadedRun> {
  const { project_id, id, workflow_id, version_id, environment_id, payload, tags, metadata } = newRun;
  const { root_workflow_run_id, depth, traceparent } = newRun;
  const version = await findWorkflowVersion(ctx, project_id, version_id);
  const named = { project_id, id, workflow_id, version_id, environment_id, payload, has_payload: true, tags, metadata };
  const run = {
    ...named,
    status: "running",
    transition_count: 1,
    decisions: 0,
    holds_slot: false,
    root_workflow_run_id,
    depth,
    traceparent,
    planned_end: null,
    stopped: null,
    pause_inherited: false,
  };
  const loaded = emptyLoadedRun(run, version, true);
  for (const { step_ref } of version.definition.steps) loaded.steps.set(step_ref, newStep());
  return loaded;
}

function newStep(): LoadedStep {
  return {
    id: newId(),
    status: "pending",
    was: "pending",
    generation: 1,
    error: null,
    cause: null,
    cause_ref: null,
    run_id: null,
    event_trigger_id: null,
    child_workflow_run_id: null,
    completion: null,
    compensation: null,
    ended: null,
  };
}

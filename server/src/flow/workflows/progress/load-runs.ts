import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { findWorkflowVersion } from "../start/workflow-version.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import {
  type CompensationStatus,
  emptyLoadedRun,
  type LoadedRun,
  type LoadedStep,
  type LockedWorkflowRun,
} from "./loaded-run.ts";

const SMALL_PAYLOAD_BYTES = 4_000;

/**
 * Locks workflow runs by id, before their steps, triggers and runs. Every writer of a step holds this lock: when two
 * siblings end at once, one transaction sees both, so their common dependents start, and start once.
 */
export async function lockWorkflowRuns(
  tx: Ctx & InTransaction,
  keys: readonly WorkflowRunKey[],
): Promise<LockedWorkflowRun[]> {
  const { rows } = await sql<LockedWorkflowRun>`
    /* prepared */
    select w.project_id, w.id, w.workflow_id, w.version_id, w.environment_id, w.status, w.transition_count, w.tags,
      p.has_payload, case when p.has_payload then w.payload end as payload,
      w.metadata, w.decisions, w.holds_slot, w.root_workflow_run_id, w.depth, w.traceparent, w.planned_end,
      w.stopped, w.pause_inherited
    from (
      select distinct project_id, workflow_run_id
      from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, workflow_run_id uuid)
      order by workflow_run_id
    ) g, lateral (
      select * from workflow_runs w where w.project_id = g.project_id and w.id = g.workflow_run_id for no key update
    ) w, lateral (select pg_column_size(w.payload) <= ${SMALL_PAYLOAD_BYTES} as has_payload) p`.execute(tx.db);
  return rows;
}

/**
 * Locks workflow runs and loads the running ones: their steps, and the results of ended job runs that are not yet
 * applied. Both statements are pipelined: the second executes once the locks are held, and sees what was committed by
 * then.
 */
export async function lockAndLoadRuns(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): Promise<LoadedRun[]> {
  const [locked, steps] = await Promise.all([lockWorkflowRuns(tx, keys), readSteps(tx, keys)]);
  const loadedRuns = new Map<string, LoadedRun>();
  for (const run of locked) {
    if (run.status !== "running" || run.stopped !== null) continue;
    loadedRuns.set(run.id, emptyLoadedRun(run, await findWorkflowVersion(tx, run.project_id, run.version_id), false));
  }
  for (const row of steps) {
    const loaded = loadedRuns.get(row.workflow_run_id);
    if (loaded) takeStep(loaded, row);
  }
  return [...loadedRuns.values()];
}

function takeStep({ steps, outputs }: LoadedRun, row: StepRow): void {
  const { step_ref, ended_status, result, run_error } = row;
  steps.set(step_ref, {
    id: row.id,
    status: row.status,
    was: row.status,
    generation: row.generation,
    error: row.error,
    cause: row.cause,
    cause_ref: row.cause_ref,
    run_id: row.run_id,
    event_trigger_id: row.event_trigger_id,
    child_workflow_run_id: row.child_workflow_run_id,
    completion: row.completion,
    compensation: compensationOf(row),
    ended: ended_status === null ? null : { status: ended_status, result, error: run_error },
  });
  if (row.has_output) outputs.set(step_ref, row.output);
}

function compensationOf({ compensation_status: status, compensation_run_id: run_id }: StepRow) {
  return status === null ? null : { status, run_id, error: null, was: status };
}

const SMALL_OUTPUT_BYTES = 1_000;

type StepRow = Omit<LoadedStep, "was" | "ended" | "compensation"> & {
  compensation_status: CompensationStatus | null;
  compensation_run_id: string | null;
  workflow_run_id: string;
  step_ref: string;
  ended_status: NonNullable<LoadedStep["ended"]>["status"] | null;
  output: unknown;
  has_output: boolean;
  result: unknown;
  run_error: NonNullable<LoadedStep["ended"]>["error"];
};

/**
 * Only the end of a run is read, and an end never changes: it needs no lock. Small outputs are included; large ones are
 * read when they are needed. Each run is looked up by its key (`offset 0`): otherwise a plan that was prepared on a
 * small table would read the whole table every time.
 */
export async function readSteps(tx: Ctx & InTransaction, keys: readonly WorkflowRunKey[]): Promise<StepRow[]> {
  const { rows } = await sql<StepRow>`
    /* prepared */
    select s.*, r.status as ended_status, r.result, r.error as run_error
    from (
      select project_id, workflow_run_id::uuid from json_to_recordset(${JSON.stringify(keys)}::json)
        as g(project_id uuid, workflow_run_id text) where ${fewRows("g.workflow_run_id")}
    ) g, lateral (
      select s.project_id, s.workflow_run_id, s.step_ref, s.id, s.status, s.generation, s.error, s.cause, s.cause_ref,
        s.run_id, s.event_trigger_id, s.child_workflow_run_id, s.completion, s.compensation_status, s.compensation_run_id,
        case when x.has_output then s.output end as output, x.has_output
      from step_runs s, lateral (
        select s.status = 'completed' and coalesce(pg_column_size(s.output), 0) <= ${SMALL_OUTPUT_BYTES} as has_output
      ) x
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id order by s.position
    ) s
    left join lateral (
      select r.status, r.result, r.error from runs r
      where (s.status = 'running' or s.compensation_status = 'running') and r.project_id = s.project_id
        and r.finished_at is not null and r.id = case when s.status = 'running' then s.run_id
          when s.compensation_status = 'running' then s.compensation_run_id end
      offset 0
    ) r on true`.execute(tx.db);
  return rows;
}

/** Loads outputs that will be needed and are not loaded yet. Most were produced in this very pass. */
export async function loadOutputs(
  tx: Ctx & InTransaction,
  wanted: readonly { loaded: LoadedRun; refs: Iterable<string> }[],
): Promise<void> {
  const missing = wanted.flatMap(({ loaded, refs }) =>
    [...refs]
      .filter((step_ref) => !loaded.outputs.has(step_ref))
      .map((step_ref) => ({ project_id: loaded.run.project_id, workflow_run_id: loaded.run.id, step_ref })),
  );
  if (missing.length === 0) return;
  const { rows } = await sql<{ workflow_run_id: string; step_ref: string; output: unknown }>`
    /* prepared */
    select s.workflow_run_id, s.step_ref, s.output
    from json_to_recordset(${JSON.stringify(missing)}::json) as g(project_id uuid, workflow_run_id uuid, step_ref text)
    join step_runs s on s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
    where ${fewRows("g.step_ref")}`.execute(tx.db);
  const loadedRuns = new Map(wanted.map(({ loaded }) => [loaded.run.id, loaded]));
  for (const { workflow_run_id, step_ref, output } of rows)
    loadedRuns.get(workflow_run_id)?.outputs.set(step_ref, output);
}

/**
 * Loads the large payloads of workflow runs in which templates will be rendered. Small ones were loaded with the run.
 */
export async function loadPayloads(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const missing = new Map(loadedRuns.filter(({ run }) => !run.has_payload).map(({ run }) => [run.id, run]));
  if (missing.size === 0) return;
  const keys = [...missing.values()].map(({ project_id, id }) => ({ project_id, id, one: "" }));
  const { rows } = await sql<{ id: string; payload: unknown }>`
    /* prepared */
    select w.id, w.payload
    from json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id uuid, one text)
    join workflow_runs w on w.project_id = g.project_id and w.id = g.id
    where ${fewRows("g.one")}`.execute(tx.db);
  for (const { id, payload } of rows) Object.assign(missing.get(id) ?? {}, { payload, has_payload: true });
}

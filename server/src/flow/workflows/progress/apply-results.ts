import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { listTemplatePaths } from "../../templates/check-template.ts";
import { MAX_RENDERED_BYTES, renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/event-keys.ts";
import type { JobStep, StepError } from "../plan/definition.ts";
import { loadOutputs, loadPayloads } from "./load-runs.ts";
import {
  addDecision,
  cancelStep,
  completeStep,
  failStep,
  type LoadedRun,
  type LoadedStep,
  stepOf,
} from "./loaded-run.ts";

/**
 * Applies the results of ended runs and child workflow runs to their steps. Completed steps with an `event_emit_key`
 * emit their event.
 */
export async function applyResults(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  await readChildEnds(tx, loadedRuns);
  const ended = loadedRuns.map((loaded) => ({ loaded, emitting: emittingSteps(loaded, applyEnds(loaded)) }));
  const emitted = ended.filter(({ emitting }) => emitting.length > 0);
  await loadOutputs(
    tx,
    emitted.map(({ loaded, emitting }) => ({ loaded, refs: emitReads(emitting) })),
  );
  await loadPayloads(
    tx,
    emitted.map(({ loaded }) => loaded),
  );
  for (const { loaded, emitting } of emitted) for (const step of emitting) enqueueEmit(loaded, step);
}

/** Returns the completed steps. */
function applyEnds(loaded: LoadedRun): string[] {
  const completed: string[] = [];
  for (const [step_ref, step] of loaded.steps) {
    if (step.status !== "running" || !step.ended) continue;
    applyResult(loaded, step_ref, step, step.ended);
    if (step.ended.status === "completed") completed.push(step_ref);
  }
  return completed;
}

function applyResult(
  loaded: LoadedRun,
  step_ref: string,
  { child_workflow_run_id }: LoadedStep,
  ended: NonNullable<LoadedStep["ended"]>,
): void {
  if (ended.status === "completed") {
    completeStep(loaded, step_ref, ended.result, "its run completed");
    return;
  }
  // The workflow run is ending, and waits for the steps it has canceled.
  if (ended.status === "canceled" && loaded.run.planned_end) {
    cancelStep(loaded, step_ref, loaded.run.planned_end);
    return;
  }
  const message = ended.error?.message ?? `The run of the step ended as ${ended.status}.`;
  const isCanceled = ended.status === "canceled" && child_workflow_run_id === null;
  const code = isCanceled ? "run_canceled" : (ended.error?.code ?? ended.status);
  failStep(loaded, step_ref, { code, message }, `its run ended as ${ended.status}: ${message}`);
}

type EndedChild = { id: string; status: "completed" | "failed" | "timed_out" | "canceled"; error: StepError | null };
type Row = EndedChild & { output: unknown; is_too_large: boolean };

/**
 * Loads the results of the workflow runs that steps have started, skipping older generations. The outbox entries of
 * their ends are acknowledged. Both are found by key alone: a plan that was prepared while few had ended would read all
 * that ever did.
 */
export async function readChildEnds(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const waiting = new Map(loadedRuns.flatMap(runningChildren));
  if (waiting.size === 0) return;
  const given = [...waiting].map(([id, { project_id, parent_id }]) => ({ project_id, parent_id, id }));
  const { rows } = await sql<Row>`
    /* prepared */
    with ended as materialized (
      select c.project_id, g.parent_id, c.id, c.status, c.error, coalesce(o.is_too_large, false) as is_too_large,
        case when not o.is_too_large then o.output end as output
      from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, parent_id text, id uuid)
      cross join lateral (
        select c.* from workflow_runs c where c.project_id = g.project_id and c.id = g.id offset 0
      ) c
      cross join lateral (
        select o.output, octet_length(o.output::text) > ${MAX_OUTPUT_BYTES} as is_too_large
        from (select case when c.status = 'completed' then ${childOutput()} end as output) o
      ) o
      where c.finished_at is not null and ${fewRows("g.parent_id")}
    ),
    acked as (
      delete from outbox f using ended e
      where f.project_id = e.project_id and f.transition_id = e.id::text and f.kind || '' = 'child_workflow_ended'
        and f.target_id = e.parent_id and ${fewRows("e.parent_id")}
    )
    select id, status, error, is_too_large, output from ended`.execute(tx.db);
  for (const { output, is_too_large, ...child } of rows) {
    const { step } = waiting.get(child.id) ?? {};
    if (step) step.ended = is_too_large ? tooLarge(child) : resultOfChild(child, output);
  }
}

type Waiting = { project_id: string; parent_id: string; step: LoadedStep };

function runningChildren({ run, steps }: LoadedRun): [string, Waiting][] {
  return [...steps.values()].flatMap((step) => {
    if (step.status !== "running" || step.child_workflow_run_id === null) return [];
    return [[step.child_workflow_run_id, { project_id: run.project_id, parent_id: run.id, step }]];
  });
}

function resultOfChild({ id, status, error }: EndedChild, result: unknown): LoadedStep["ended"] {
  if (status === "completed") return { status, result, error: null };
  return { status, result: null, error: childError(id, status, error) };
}

function tooLarge({ id }: EndedChild): LoadedStep["ended"] {
  const message = `The output of the workflow run ${id} is larger than ${MAX_OUTPUT_BYTES} bytes.`;
  return { status: "failed", result: null, error: { code: "output_too_large", message } };
}

function childError(id: string, status: string, error: StepError | null): StepError {
  const why = error ? `: ${error.message}` : ".";
  const code = error?.code === "workflow_deadlock" ? error.code : `child_${status}`;
  return { code, message: `The workflow run ${id} ended as ${status}${why}` };
}

/** The maximum size of the output of a map or a workflow run: a larger one could not be passed to a job. */
export const MAX_OUTPUT_BYTES = MAX_RENDERED_BYTES;

/** The output of a workflow run `c` for its parent: by step, the outputs of the steps without dependents. */
export function childOutput(): Sql {
  return sql`(
    select coalesce(jsonb_object_agg(t.step_ref, t.output), '{}')
    from workflow_versions v
    join step_runs t on t.project_id = c.project_id and t.workflow_run_id = c.id
    where v.project_id = c.project_id and v.id = c.version_id
      and not exists (select 1 from jsonb_array_elements(v.steps) e where e -> 'depends_on' ? t.step_ref))`;
}

type Emitting = JobStep & { event_emit_key: string };

function emittingSteps({ version }: LoadedRun, completed: readonly string[]): Emitting[] {
  return completed.flatMap((step_ref) => {
    const step = version.byRef.get(step_ref);
    return step?.type === "job" && step.event_emit_key !== null ? [step as Emitting] : [];
  });
}

/** The steps whose outputs the emit keys read. */
function emitReads(emitting: readonly Emitting[]): string[] {
  return emitting.flatMap(({ event_emit_key }) => {
    const paths = listTemplatePaths(event_emit_key).map((path) => path.split("."));
    return paths.flatMap(([root, ref]) => (root === "parent_outputs" && ref !== undefined ? [ref] : []));
  });
}

/**
 * A completed step with an `event_emit_key` emits an event: an outbox entry, processed after the commit. Never fails
 * the step.
 */
function enqueueEmit(loaded: LoadedRun, { step_ref, event_emit_key, event_emit_buffer_secs }: Emitting): void {
  const { project_id, id: workflow_run_id, payload } = loaded.run;
  const output = loaded.outputs.get(step_ref) ?? null;
  const key = renderEmitKey(event_emit_key, { payload, parent_outputs: Object.fromEntries(loaded.outputs), output });
  if (!key.ok) {
    addDecision(loaded, "emit", step_ref, `no event was sent: ${key.error.message}`);
    return;
  }
  const { id, generation } = stepOf(loaded, step_ref);
  loaded.outbox.push({
    project_id,
    transition_id: `${id}:${generation}`,
    kind: "emit",
    target_id: key.event_key,
    detail: { payload: output, buffer_secs: event_emit_buffer_secs, workflow_run_id, step_ref },
  });
}

/** `parent_outputs`: of the steps that the key names, at least. */
type EmitScope = { payload: unknown; parent_outputs: Record<string, unknown>; output: unknown };
type EmitKey = { ok: true; event_key: string } | { ok: false; error: StepError };

/** The key of the event that a completed job step emits. An issue is recorded in explain, and fails nothing. */
export function renderEmitKey(template: string, scope: EmitScope): EmitKey {
  const key = renderText(template, scope, "event_emit_key");
  if (!key.ok) {
    const { code, location, message } = key.problem;
    return { ok: false, error: { code, message: `${location} cannot be rendered: ${message}` } };
  }
  const issue = eventKeyIssue(key.value);
  if (issue === undefined) return { ok: true, event_key: key.value };
  return { ok: false, error: { code: "invalid_event_key", message: `the rendered event_emit_key ${issue}` } };
}

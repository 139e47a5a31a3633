import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { compensationRef } from "../../runs/create/compensation-ref.ts";
import type { NewRun } from "../../runs/create/new-run.ts";
import { triggerWithin } from "../../runs/create/trigger-runs.ts";
import { findTriggerableJob } from "../../runs/create/triggerable-job.ts";
import { contextOfStep } from "../../trace.ts";
import { markCompletedItems, readCompletedItems } from "../map/completed-items.ts";
import type { StepError } from "../plan/definition.ts";
import { addDecision, type LoadedRun, type LoadedStep, stepOf } from "../progress/loaded-run.ts";
import { prepareStepRun } from "../progress/prepare-step-run.ts";
import { completionOf, planCompensation } from "./compensate-plan.ts";

/**
 * Advances compensating workflow runs as far as they go: records the result of the last compensation, and starts the
 * next. The loaded runs hold the changes still to be written.
 */
export async function compensateRuns(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  for (const loaded of loadedRuns) {
    for (const [step_ref, step] of loaded.steps) {
      if (step.status === "completed" && step.was !== "completed") step.completion = completionOf(loaded, step_ref);
      applyCompensation(loaded, step_ref, step);
    }
  }
  await markCompletedItems(tx, loadedRuns);
  for (let open = loadedRuns; open.length > 0; ) open = await startNext(tx, open);
}

function applyCompensation(loaded: LoadedRun, step_ref: string, { compensation, ended }: LoadedStep): void {
  if (compensation?.status !== "running" || !ended) return;
  if (ended.status === "completed") {
    compensation.status = "completed";
    addDecision(loaded, "compensate", step_ref, "its compensation completed");
    return;
  }
  const message = ended.error?.message ?? `The run of the compensation ended as ${ended.status}.`;
  const code = ended.status === "canceled" ? "run_canceled" : (ended.error?.code ?? ended.status);
  compensation.status = "failed";
  compensation.error = { code, message };
  addDecision(loaded, "compensate", step_ref, `its compensation ended as ${ended.status}: ${message}`);
}

/** Returns those to be planned again: the compensation was refused, or its job has changed since it was prepared. */
async function startNext(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<readonly LoadedRun[]> {
  const again: LoadedRun[] = [];
  const prepared: PreparedCompensation[] = [];
  for (const loaded of loadedRuns) {
    const plan = planCompensation(loaded.version.definition, loaded.steps);
    if (plan.kind !== "start") continue;
    const next = await prepareCompensation(tx, loaded, plan);
    if ("run" in next) prepared.push(next);
    else {
      refuse(loaded, plan.step_ref, next.error);
      again.push(loaded);
    }
  }
  return [...again, ...(await createAll(tx, prepared))];
}

function refuse(loaded: LoadedRun, step_ref: string, error: { code: string; message: string }): void {
  stepOf(loaded, step_ref).compensation = { status: "failed", run_id: null, error, was: null };
  addDecision(loaded, "compensate", step_ref, `its compensation cannot be started: ${error.message}`);
}

/** A compensation that exceeds the budget is created blocked. */
async function createAll(tx: Ctx & InTransaction, prepared: readonly PreparedCompensation[]): Promise<LoadedRun[]> {
  if (prepared.length === 0) return [];
  const runs = prepared.map(({ run }) => run);
  const results = await triggerWithin(tx, runs, "block");
  const stale: LoadedRun[] = [];
  for (const [index, { loaded, step_ref, run }] of prepared.entries()) {
    const { kind } = results[index] ?? { kind: "stale" };
    if (kind === "stale") {
      await findTriggerableJob(tx, run.project_id, run.job_id); // the cached job is older than the one that refused
      stale.push(loaded);
    }
    if (kind !== "created") continue;
    stepOf(loaded, step_ref).compensation = { status: "running", run_id: run.id, error: null, was: null };
    addDecision(loaded, "compensate", step_ref, "its compensation is started");
  }
  return stale;
}

type PreparedCompensation = { loaded: LoadedRun; step_ref: string; run: NewRun };

/** The run that compensates a step, ready to be created, or the reason why there can be none. */
async function prepareCompensation(
  tx: Ctx & InTransaction,
  loaded: LoadedRun,
  { step_ref, job_id }: { step_ref: string; job_id: string },
): Promise<PreparedCompensation | { error: StepError }> {
  const undone = await readStep(tx, loaded, step_ref);
  const { run } = loaded;
  const trigger = {
    payload: undone.payload,
    parent_outputs: {},
    metadata: run.metadata,
    inherited_tags: run.tags,
    environment_id: run.environment_id,
    workflow_run_id: run.id,
    step_ref: compensationRef(step_ref),
    step_generation: undone.times + 1,
    created_by: `workflow_run:${run.id}`,
    trigger_type: "workflow",
    traceparent: contextOfStep(run, step_ref),
  } as const;
  const prepared = await prepareStepRun(tx, { project_id: run.project_id, job_id }, trigger, "compensation");
  return "code" in prepared ? { error: prepared } : { loaded, step_ref, run: prepared.run };
}

type Undone = { payload: { input: unknown; output: unknown }; times: number };

async function readStep(
  tx: Ctx & InTransaction,
  { run, steps, outputs }: LoadedRun,
  step_ref: string,
): Promise<Undone> {
  const { rows } = await sql<{ input: unknown; output: unknown; compensations: number }>`
    select input, output, compensations from step_runs
    where project_id = ${run.project_id} and workflow_run_id = ${run.id} and step_ref = ${step_ref}`.execute(tx.db);
  const { input = null, output = null, compensations = 0 } = rows[0] ?? {};
  if (steps.get(step_ref)?.hasCompletedItems) {
    return { payload: await readCompletedItems(tx, run, step_ref), times: compensations };
  }
  // A completion in this very pass is not written yet.
  return { payload: { input, output: outputs.get(step_ref) ?? output }, times: compensations };
}

/**
 * Writes the results of compensations, under the locks of their workflow runs: if a guard fails, nothing is written.
 */
export async function writeCompensations(tx: Ctx & InTransaction, loadedRuns: readonly LoadedRun[]): Promise<void> {
  const changed = loadedRuns.flatMap(changedOf);
  if (changed.length === 0) return;
  const { rows } = await sql<{ moved: number }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(changed)}::json) as g(
        project_id uuid, workflow_run_id uuid, step_ref text, generation int, was text, status text, run_id uuid,
        error jsonb)
      where ${fewRows("g.status")}
    ),
    moved as (
      update step_runs s set compensation_status = g.status, compensation_run_id = g.run_id,
        compensations = s.compensations + (g.was is null)::int,
        compensation_error = g.error, compensated_at = case when g.status = 'completed' then clock() end,
        updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.step_ref = g.step_ref
        and s.generation = g.generation
        and (s.status = 'completed' or (s.type = 'map' and s.status in ('failed', 'canceled')))
        and s.compensation_status is not distinct from g.was
      returning 1
    )
    select count(*)::int as moved from moved`.execute(tx.db);
  if (rows[0]?.moved !== changed.length) throw new Error("compensations were changed without the lock");
}

function changedOf({ run, steps }: LoadedRun): object[] {
  return [...steps].flatMap(([step_ref, { generation, compensation }]) => {
    if (!compensation || compensation.status === compensation.was) return [];
    return [{ project_id: run.project_id, workflow_run_id: run.id, step_ref, generation, ...compensation }];
  });
}

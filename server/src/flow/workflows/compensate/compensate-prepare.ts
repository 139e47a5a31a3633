import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { compensationRef } from "../../runs/create/compensation-ref.ts";
import type { NewRun } from "../../runs/create/new-run.ts";
import { prepareRun } from "../../runs/create/prepare-run.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../../runs/create/triggerable-job.ts";
import { readCompletedItems } from "../map/completed-items.ts";
import type { StepError } from "../plan/graph-types.ts";
import type { LoadedRun } from "../progress/loaded-run.ts";

export type PreparedCompensation = { loaded: LoadedRun; step_ref: string; run: NewRun };

/** The run that compensates a step, ready to be created, or the reason why there can be none. */
export async function prepareCompensation(
  tx: Ctx & InTransaction,
  loaded: LoadedRun,
  { step_ref, job_id }: { step_ref: string; job_id: string },
): Promise<PreparedCompensation | { error: StepError }> {
  const { project_id } = loaded.run;
  const undone = await readStep(tx, loaded, step_ref);
  const known = tryPrepare(await findCachedJob(tx, project_id, job_id), loaded, step_ref, undone);
  // A refusal by a cached job may be out of date: the job is read again.
  const run =
    known instanceof ApiError
      ? tryPrepare(await findTriggerableJob(tx, project_id, job_id), loaded, step_ref, undone)
      : known;
  if (run instanceof ApiError) return { error: { code: run.code, message: run.message } };
  if (!run) return { error: { code: "job_not_found", message: "The job of the compensation no longer exists." } };
  return { loaded, step_ref, run };
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

/** Undefined: there is no such job. */
function tryPrepare(
  job: TriggerableJob | undefined,
  { run }: LoadedRun,
  step_ref: string,
  { payload, times }: Undone,
): NewRun | ApiError | undefined {
  try {
    return (
      job &&
      prepareRun(job, {
        payload,
        parent_outputs: {},
        metadata: run.metadata,
        inherited_tags: run.tags,
        environment_id: run.environment_id,
        workflow_run_id: run.id,
        step_ref: compensationRef(step_ref),
        step_generation: times + 1,
        created_by: `workflow_run:${run.id}`,
        trigger_type: "workflow",
      })
    );
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

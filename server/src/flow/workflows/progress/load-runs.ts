import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { lockWorkflowRuns } from "../lock-workflow-runs.ts";
import { findWorkflowVersion } from "../start/workflow-version.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import { emptyLoadedRun, type LoadedRun } from "./loaded-run.ts";
import { readSteps, type StepRow } from "./read-steps.ts";

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

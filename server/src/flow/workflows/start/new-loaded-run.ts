import type { Ctx } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import { emptyLoadedRun, type LoadedRun, type LoadedStep } from "../progress/loaded-run.ts";
import type { NewWorkflowRun } from "./new-workflow-run.ts";
import { findWorkflowVersion } from "./workflow-version.ts";

/** A workflow run that is being created, loaded before any of it is written. */
export async function newLoadedRun(ctx: Ctx, newRun: NewWorkflowRun): Promise<LoadedRun> {
  const { project_id, id, workflow_id, version_id, environment_id, payload, tags, metadata } = newRun;
  const { root_workflow_run_id, depth } = newRun;
  const version = await findWorkflowVersion(ctx, project_id, version_id);
  const named = { project_id, id, workflow_id, version_id, environment_id, payload, has_payload: true, tags, metadata };
  const run = {
    ...named,
    status: "running",
    moves: 1,
    decisions: 0,
    holds_slot: false,
    root_workflow_run_id,
    depth,
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

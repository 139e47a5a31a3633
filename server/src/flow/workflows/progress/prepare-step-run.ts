import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import type { NewRun } from "../../runs/create/new-run.ts";
import { prepareRun, type Trigger } from "../../runs/create/prepare-run.ts";
import { findCachedJob, findTriggerableJob } from "../../runs/create/triggerable-job.ts";
import { contextOfChild } from "../../trace.ts";
import type { StepError } from "../plan/definition.ts";
import type { NewWorkflowRun } from "../start/new-workflow-run.ts";
import { prepareWorkflowRun, type WorkflowTrigger } from "../start/prepare-workflow-run.ts";
import { findCachedWorkflow, findTriggerableWorkflow } from "../start/triggerable-workflow.ts";
import type { LockedWorkflowRun } from "./loaded-run.ts";

/** The run of a step, map item or compensation, ready to be created; or the reason why its job refuses it. */
export async function prepareStepRun(
  ctx: Ctx,
  { project_id, job_id }: { project_id: string; job_id: string },
  trigger: Trigger,
  of: "step" | "compensation" = "step",
): Promise<{ run: NewRun } | StepError> {
  const find = [findCachedJob, findTriggerableJob].map((each) => () => each(ctx, project_id, job_id));
  const run = await tryPrepare(find, (job) => prepareRun(job, trigger));
  if (run instanceof ApiError) return { code: run.code, message: run.message };
  return run ? { run } : { code: "job_not_found", message: `The job of the ${of} no longer exists.` };
}

/** Undefined: there is no such job or workflow. A refusal by a cached one may be out of date: it is read again. */
async function tryPrepare<Target, Run>(
  find: readonly (() => Target | undefined | Promise<Target | undefined>)[],
  prepare: (target: Target) => Run | Promise<Run>,
): Promise<Run | ApiError | undefined> {
  let refusal: ApiError | undefined;
  for (const findTarget of find) {
    const target = await findTarget();
    if (!target) return undefined;
    try {
      return await prepare(target);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusal = error;
    }
  }
  return refusal;
}

/** The depth at which a workflow that starts itself is stopped. */
const MAX_WORKFLOW_RUN_DEPTH = 32;

/** The request of a step: `step_ref` is `ref[index]` for an item. */
type ChildRequest = { workflow_id: string; step_ref: string; generation: number; payload: unknown };

/**
 * The workflow run of a step or map item, ready to be created; or the reason why there is none. It is created pending
 * in the transaction of its parent, and its version is chosen then: by its own canary, with the root run of the chain
 * as key.
 */
export async function prepareChild(
  ctx: Ctx,
  parent: LockedWorkflowRun,
  request: ChildRequest,
): Promise<{ run: NewWorkflowRun } | StepError> {
  if (parent.depth >= MAX_WORKFLOW_RUN_DEPTH) {
    const message = `Sub-workflows can be nested at most ${MAX_WORKFLOW_RUN_DEPTH} levels deep.`;
    return { code: "workflow_too_deep", message };
  }
  const trigger = childTriggerOf(parent, request);
  const { project_id } = parent;
  const find = [findCachedWorkflow, findTriggerableWorkflow].map(
    (each) => () => each(ctx, project_id, request.workflow_id),
  );
  const run = await tryPrepare(find, (workflow) => prepareWorkflowRun(ctx, workflow, trigger));
  if (run instanceof ApiError) return { code: run.code, message: run.message };
  if (!run) return { code: "workflow_not_found", message: "The workflow of the step no longer exists." };
  // As for one with limits: created pending, and started by the task for due runs.
  return { run: { ...run, is_limited: true } };
}

function childTriggerOf(parent: LockedWorkflowRun, { step_ref, generation, payload }: ChildRequest): WorkflowTrigger {
  const root_workflow_run_id = parent.root_workflow_run_id ?? parent.id;
  return {
    payload,
    metadata: parent.metadata,
    inherited_tags: parent.tags,
    environment_id: parent.environment_id,
    routing_key: root_workflow_run_id,
    trigger_type: "workflow",
    created_by: `workflow_run:${parent.id}`,
    parent_workflow_run_id: parent.id,
    parent_step_ref: step_ref,
    parent_generation: generation,
    root_workflow_run_id,
    depth: parent.depth + 1,
    traceparent: contextOfChild(parent, step_ref),
  };
}

import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import type { NewRun } from "../../runs/create/new-run.ts";
import { prepareRun, type Trigger } from "../../runs/create/prepare-run.ts";
import { findCachedJob, findTriggerableJob, type TriggerableJob } from "../../runs/create/triggerable-job.ts";
import type { StepError } from "../plan/graph-types.ts";

/** The run of a step or map item, ready to be created; or the reason why its job refuses it. */
export async function prepareStepRun(
  ctx: Ctx,
  { project_id, job_id }: { project_id: string; job_id: string },
  trigger: Trigger,
): Promise<{ run: NewRun } | StepError> {
  const known = tryPrepare(await findCachedJob(ctx, project_id, job_id), trigger);
  // A refusal by a cached job may be out of date: the job is read again.
  const isRefused = known instanceof ApiError;
  const run = isRefused ? tryPrepare(await findTriggerableJob(ctx, project_id, job_id), trigger) : known;
  if (run instanceof ApiError) return { code: run.code, message: run.message };
  return run ? { run } : { code: "job_not_found", message: "The job of the step no longer exists." };
}

/** Undefined: there is no such job. */
function tryPrepare(job: TriggerableJob | undefined, trigger: Trigger): NewRun | ApiError | undefined {
  try {
    return job && prepareRun(job, trigger);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

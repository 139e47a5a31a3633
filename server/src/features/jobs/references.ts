import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { hasEnvironment } from "../../platform/access/has-environment.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { invalid, Refusal } from "../../platform/errors.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";
import { holdJob } from "./queries.ts";

type Named = Pick<JobSettings, "environment_id" | "on_failure_job_id"> & { id: string };

/** Refuses names of what is not there, or what the caller may not see. */
export async function checkReferences(
  ctx: ProjectCtx & InTransaction,
  job: Named,
  changed: ReadonlySet<JobSetting>,
): Promise<void> {
  const { environment_id, on_failure_job_id } = job;
  if (changed.has("environment_id") && environment_id !== null) {
    if (!(await hasEnvironment(ctx, environment_id))) throw noSuchEnvironment(environment_id);
  }
  if (!changed.has("on_failure_job_id") || on_failure_job_id === null) return;
  if (on_failure_job_id === job.id) throw invalid("body.on_failure_job_id", "is the job itself", on_failure_job_id);
  if (!(await holdJob(ctx, on_failure_job_id)))
    throw invalid("body.on_failure_job_id", "is not a job of this project", on_failure_job_id);
}

/** A key bound to an environment makes jobs for that one. */
export function chosenEnvironment(ctx: ProjectCtx, asked: string | null | undefined): string | null {
  return asked ?? boundEnvironment(ctx.caller);
}

/** It sees the jobs that are every environment's, but a change of one would reach beyond its own. */
export function refuseBeyondKey(ctx: ProjectCtx, environment_id: string | null): void {
  if (boundEnvironment(ctx.caller) === null || environment_id !== null) return;
  throw new Refusal("forbidden", "This key is bound to one environment; the job belongs to all of the project.");
}

/** The environment was deleted between the look and the write. */
export function refuseVanishedEnvironment(error: unknown, environment_id: string | null): never {
  throw violates(error, "jobs_project_id_environment_id_fkey") ? noSuchEnvironment(environment_id) : error;
}

function noSuchEnvironment(environment_id: string | null): Refusal {
  return invalid("body.environment_id", "is not an environment of this project", environment_id);
}

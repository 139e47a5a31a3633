import type { ProblemError } from "@millrace/contract/problem";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { findEnvironment } from "../../platform/access/find-environment.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { invalid, Refusal } from "../../platform/errors.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";
import { holdJob } from "./queries.ts";

type Named = Pick<JobSettings, "environment_id" | "on_failure_job_id"> & { id: string };

/** Names of what is not there, or what the caller may not see. */
export async function referenceFaults(
  ctx: ProjectCtx & InTransaction,
  { id, environment_id, on_failure_job_id }: Named,
  changed: ReadonlySet<JobSetting>,
): Promise<ProblemError[]> {
  const faults: ProblemError[] = [];
  if (changed.has("environment_id") && environment_id !== null && !(await findEnvironment(ctx, environment_id))) {
    faults.push(noSuchEnvironment(environment_id));
  }
  if (changed.has("on_failure_job_id") && on_failure_job_id !== null) {
    const location = "body.on_failure_job_id";
    if (on_failure_job_id === id) faults.push({ location, message: "is the job itself", value: on_failure_job_id });
    else if (!(await holdJob(ctx, on_failure_job_id)))
      faults.push({ location, message: "is not a job of this project", value: on_failure_job_id });
  }
  return faults;
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
  if (!violates(error, "jobs_project_id_environment_id_fkey")) throw error;
  const { location, message } = noSuchEnvironment(environment_id);
  throw invalid(location, message, environment_id);
}

function noSuchEnvironment(environment_id: string | null): ProblemError {
  return { location: "body.environment_id", message: "is not an environment of this project", value: environment_id };
}

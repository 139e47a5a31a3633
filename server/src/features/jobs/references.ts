import type { ProblemError } from "@millrace/contract/problem";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { findEnvironment } from "../../platform/access/find-environment.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { invalid, Refusal } from "../../platform/errors.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";
import { holdJob } from "./queries.ts";

type Named = Pick<JobSettings, "on_failure_job_id"> & { id: string };

/** A job that is not there, or that the caller may not see. */
export async function referenceFaults(
  ctx: ProjectCtx & InTransaction,
  { id, on_failure_job_id }: Named,
  changed: ReadonlySet<JobSetting>,
): Promise<ProblemError[]> {
  if (!changed.has("on_failure_job_id") || on_failure_job_id === null) return [];
  const fault = (message: string) => [{ location: "body.on_failure_job_id", message, value: on_failure_job_id }];
  if (on_failure_job_id === id) return fault("is the job itself");
  return (await holdJob(ctx, on_failure_job_id)) ? [] : fault("is not a job of this project");
}

/** A key bound to an environment makes jobs for that one. */
export function chosenEnvironment(ctx: ProjectCtx, asked: string | null | undefined): string | null {
  return asked ?? boundEnvironment(ctx.caller);
}

/** By its id, where it was named by its slug. The one that stands already is not looked for: it may be hidden by now. */
export async function readEnvironment(
  ctx: ProjectCtx,
  named: string | null,
  standing: string | null,
): Promise<{ environment_id: string | null; faults: ProblemError[] }> {
  if (named === null || named === standing) return { environment_id: named, faults: [] };
  const found = await findEnvironment(ctx, named);
  return { environment_id: found ?? named, faults: found ? [] : [noSuchEnvironment(named)] };
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

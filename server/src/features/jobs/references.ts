import type { ProblemError } from "@millrace/contract/schema/problem";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { findEnvironment } from "../../platform/access/find-target.ts";
import { withDeniesToo } from "../../platform/access/policies/policies.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import type { JobSettings } from "./job-settings.ts";
import { holdJob } from "./queries.ts";

type References = Pick<JobSettings, "environment_id" | "on_failure_job_id">;
type Requested = References & { queue: string };
type Current = References & { id: string; queue: string };

/**
 * Resolves the references of a job from slugs to ids, with issues for those that do not exist or that the caller may
 * not see. Unchanged references are not checked: they may be hidden by now.
 */
export async function readReferences(
  ctx: ProjectCtx & InTransaction,
  requested: Requested,
  current: Current,
): Promise<{ references: References; issues: ProblemError[] }> {
  const { environment_id, issues } = await readEnvironment(ctx, requested.environment_id, current.environment_id);
  const job = await readOnFailureJob(ctx, requested.on_failure_job_id, current);
  return {
    references: { environment_id, on_failure_job_id: job.on_failure_job_id },
    issues: [...issues, ...job.issues, ...(await queueIssues(ctx, requested.queue, current.queue))],
  };
}

/** A key bound to an environment creates jobs for that environment. */
export function chosenEnvironment(ctx: ProjectCtx, requested: string | null | undefined): string | null {
  return requested ?? boundEnvironment(ctx.caller);
}

async function readOnFailureJob(ctx: ProjectCtx & InTransaction, named: string | null, current: Current) {
  if (named === null || named === current.on_failure_job_id) return { on_failure_job_id: named, issues: [] };
  const issue = (message: string) => [{ location: "body.on_failure_job_id", message, value: named }];
  const found = await holdJob(await withDeniesToo(ctx, "jobs:trigger"), named);
  if (found === undefined) return { on_failure_job_id: named, issues: issue("is not a job of this project") };
  return { on_failure_job_id: found, issues: found === current.id ? issue("is the job itself") : [] };
}

/** The caller holds the lock of the queue: it is not deleted meanwhile. */
async function queueIssues(ctx: ProjectCtx, queue: string, current: string): Promise<ProblemError[]> {
  if (queue === current) return [];
  const { rows } = await sql`
    select 1 from queues where project_id = ${ctx.project_id} and name = ${queue}`.execute(ctx.db);
  if (rows.length > 0) return [];
  return [{ location: "body.queue", message: "is not a queue of this project", value: queue }];
}

async function readEnvironment(
  ctx: ProjectCtx,
  named: string | null,
  current: string | null,
): Promise<{ environment_id: string | null; issues: ProblemError[] }> {
  if (named === null || named === current) return { environment_id: named, issues: [] };
  const found = await findEnvironment(ctx, named);
  return { environment_id: found ?? named, issues: found ? [] : [noSuchEnvironment(named)] };
}

/** A bound key sees jobs without an environment, but changing one would affect other environments. */
export function refuseBeyondKey(ctx: ProjectCtx, environment_id: string | null): void {
  if (boundEnvironment(ctx.caller) === null || environment_id !== null) return;
  throw new ApiError("forbidden", "This key is bound to one environment; the job belongs to the whole project.");
}

/** The environment was deleted between the check and the write. */
export function refuseVanishedEnvironment(error: unknown, environment_id: string | null): never {
  if (!violates(error, "jobs_project_id_environment_id_fkey")) throw error;
  const { location, message } = noSuchEnvironment(environment_id);
  throw invalid(location, message, environment_id);
}

function noSuchEnvironment(environment_id: string | null): ProblemError {
  return { location: "body.environment_id", message: "is not an environment of this project", value: environment_id };
}

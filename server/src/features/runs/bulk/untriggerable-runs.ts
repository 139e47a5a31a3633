import { readAccess } from "../../../platform/access/policies/policies.ts";
import { deniedTrigger } from "../../../platform/access/policies/refuse-denied.ts";
import type { AccessPolicy, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { ApiError } from "../../../platform/errors/errors.ts";

type Tags = Record<string, string>;
type Found = {
  id: string;
  job_id: string;
  environment_id: string | null;
  tags: Tags;
  job_environment_id: string | null;
  job_tags: Tags;
};

/**
 * Returns the runs that these policies keep from being replayed because their job may not be triggered, with the
 * reason.
 */
export async function untriggerableRuns(
  ctx: ProjectCtx,
  denials: readonly AccessPolicy[],
  run_ids: readonly string[],
): Promise<Map<string, ApiError>> {
  if (denials.length === 0 || run_ids.length === 0) return new Map();
  const { rows } = await sql<Found>`
    select r.id, r.job_id, r.environment_id, r.tags, j.environment_id as job_environment_id, j.tags as job_tags
    from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id
    where r.project_id = ${ctx.project_id} and r.id = any(${[...run_ids]}::uuid[])`.execute(ctx.db);
  return new Map(
    rows.flatMap(({ id, job_id, environment_id, tags, job_environment_id, job_tags }) => {
      const job = { id: job_id, environment_id: job_environment_id, tags: job_tags };
      const apiError = deniedTrigger(denials, "job", job, { id: job_id, environment_id, tags });
      return apiError ? [[id, apiError] as const] : [];
    }),
  );
}

/**
 * Returns, by run id, the policies that hide that run from the caller by its id. Such a run is not replayed: the
 * replay would be a copy under another id, which the policy does not cover.
 */
export async function runsDeniedById(ctx: ProjectCtx): Promise<Map<string, string>> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, "runs:read");
  return new Map(
    policies.flatMap(({ id, effect, resource_id }) =>
      effect === "deny" && resource_id !== null && resource_id !== "*" ? [[resource_id, id]] : [],
    ),
  );
}

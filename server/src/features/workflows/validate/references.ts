import type { ProblemError } from "@millrace/contract/schema/problem";
import type { StepInput } from "@millrace/contract/workflows/workflow-steps";
import { boundEnvironment } from "../../../platform/access/environments.ts";
import { findEnvironment } from "../../../platform/access/find-target.ts";
import { withDenies } from "../../../platform/access/policies/policies.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { violates } from "../../../platform/database/database-errors.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { isSlug, slugTaken } from "../../../platform/slug.ts";
import type { WorkflowSettings } from "../workflow-settings.ts";

/**
 * Resolves the jobs that steps or the workflow reference: id or slug → id. Locks them until the commit, so that none is
 * deleted meanwhile, in id order to avoid deadlocks.
 */
export async function holdJobs(
  ctx: ProjectCtx & InTransaction,
  steps: readonly StepInput[],
  on_failure_job_id: string | null,
): Promise<Map<string, string>> {
  const named = [...steps.flatMap((step) => [step.job_id, step.compensate_job_id]), on_failure_job_id].filter(
    (ref) => typeof ref === "string",
  );
  const refs = [...new Set(named)];
  if (refs.length === 0) return new Map();
  const { rows } = await sql<{ id: string; slug: string }>`
    select j.id, j.slug from jobs j
    where j.project_id = ${ctx.project_id} and j.deleted_at is null and ${visible(await withDenies(ctx, "jobs:trigger"), "jobs", "j")}
      and (j.id = any(${refs.filter(isId)}::uuid[]) or j.slug = any(${refs.filter((ref) => !isId(ref) && isSlug(ref))}::text[]))
    order by j.id for key share`.execute(ctx.db);
  return new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]));
}

type References = Pick<WorkflowSettings, "environment_id" | "on_failure_job_id">;
export type Named = { [K in keyof References]?: References[K] | undefined };

/**
 * Resolves what a workflow references besides its steps to ids, with issues for what does not exist or the caller may
 * not see. Omitted fields stay omitted.
 */
export async function readReferences(
  ctx: ProjectCtx,
  { environment_id, on_failure_job_id }: Named,
  jobs: ReadonlyMap<string, string>,
): Promise<{ references: Partial<References>; issues: ProblemError[] }> {
  const environment = environment_id ? await findEnvironment(ctx, environment_id) : undefined;
  const job = on_failure_job_id ? jobs.get(on_failure_job_id) : undefined;
  return {
    references: {
      ...(environment_id !== undefined && { environment_id: environment ?? environment_id }),
      ...(on_failure_job_id !== undefined && { on_failure_job_id: job ?? on_failure_job_id }),
    },
    issues: [
      ...(environment_id && !environment ? [noSuchEnvironment(environment_id)] : []),
      ...(on_failure_job_id && !job ? [noSuchJob(on_failure_job_id)] : []),
    ],
  };
}

export async function takenSlugIssues(ctx: ProjectCtx, slug: string | undefined): Promise<ProblemError[]> {
  if (slug === undefined || !isSlug(slug)) return [];
  const { rows } = await sql`
    select 1 from workflows w where w.project_id = ${ctx.project_id} and w.slug = ${slug} and w.deleted_at is null`.execute(
    ctx.db,
  );
  return rows.length > 0 ? slugTaken(slug).errors : [];
}

/** A key bound to an environment creates workflows in it. */
export function chosenEnvironment(ctx: ProjectCtx, requested: string | null | undefined): string | null {
  return requested ?? boundEnvironment(ctx.caller);
}

/** A bound key sees workflows without an environment, but changing one would reach beyond its own. */
export function refuseBeyondKey(ctx: ProjectCtx, environment_id: string | null): void {
  if (boundEnvironment(ctx.caller) === null || environment_id !== null) return;
  throw new ApiError("forbidden", "This key is bound to one environment; the workflow belongs to the whole project.");
}

/** The environment was deleted between the check and the write. */
export function refuseVanishedEnvironment(error: unknown, environment_id: string | null): never {
  if (!violates(error, "workflows_project_id_environment_id_fkey")) throw error;
  const { location, message } = noSuchEnvironment(environment_id);
  throw invalid(location, message, environment_id);
}

function noSuchEnvironment(environment_id: string | null): ProblemError {
  return { location: "body.environment_id", message: "is not an environment of this project", value: environment_id };
}

function noSuchJob(on_failure_job_id: string): ProblemError {
  return { location: "body.on_failure_job_id", message: "is not a job of this project", value: on_failure_job_id };
}

import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { isId } from "../../../platform/ids.ts";
import type { Series } from "./series.ts";

const CONSUMERS: Record<Series, string> = {
  runs: SUMS_CONSUMER,
  errors: SUMS_CONSUMER,
  workflows: SUMS_CONSUMER,
  events: "recount-events",
  webhooks: "recount-webhooks",
};

/** When the rollups of a series were last updated. */
export async function readAsOf(ctx: ProjectCtx, series: Series): Promise<string | null> {
  const { rows } = await sql<{ updated_at: string }>`
    select updated_at from log_cursors where consumer = ${CONSUMERS[series]}`.execute(ctx.db);
  return rows[0]?.updated_at ?? null;
}

/** The subjects to read for the requested job; an unknown slug gives none. Undefined: all. */
export async function jobNamed(ctx: ProjectCtx, ref: string | undefined): Promise<string[] | undefined> {
  if (ref === undefined || isId(ref)) return ref === undefined ? undefined : [ref];
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j where j.project_id = ${ctx.project_id} and j.slug = ${ref} and j.deleted_at is null`.execute(
    ctx.db,
  );
  return rows.map(({ id }) => id);
}

export type JobName = { slug: string; versions: Record<string, number> };

/** Slugs of jobs, and the numbers of the given versions. */
export async function readJobNames(
  ctx: ProjectCtx,
  job_ids: readonly string[],
  version_ids: readonly string[] = [],
): Promise<Map<string, JobName>> {
  const { rows } = await sql<JobName & { id: string }>`
    select j.id, j.slug, coalesce((
      select json_object_agg(v.id, v.version) from job_versions v
      where v.project_id = j.project_id and v.job_id = j.id and v.id = any(${version_ids}::uuid[])), '{}') as versions
    from jobs j where j.project_id = ${ctx.project_id} and j.id = any(${job_ids}::uuid[])`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

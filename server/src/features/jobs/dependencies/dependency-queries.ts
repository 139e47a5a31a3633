import { sql } from "kysely";
import type { Definition } from "../../../flow/runs/dependencies/list-definitions.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";

/** Replaces all of them and raises the job's revision, so that no run is prepared from the old ones. */
export async function writeDefinitions(
  ctx: ProjectCtx & InTransaction,
  job_id: string,
  definitions: readonly Pick<Definition, "job_id" | "condition">[],
): Promise<void> {
  await sql`
    delete from job_dependencies where project_id = ${ctx.project_id} and job_id = ${job_id}`.execute(ctx.db);
  await sql`
    insert into job_dependencies (project_id, job_id, depends_on_job_id, condition, created_at)
    select ${ctx.project_id}, ${job_id}, g.job_id, g.condition, clock()
    from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb) as g(job_id uuid, condition text)`.execute(ctx.db);
  await sql`
    update jobs set revision = revision + 1, updated_at = clock()
    where project_id = ${ctx.project_id} and id = ${job_id}`.execute(ctx.db);
}

type Edge = { job_id: string; slug: string; depends_on_job_id: string };

/** Every definition of the project: they are few, and a cycle may go through any of them. */
export async function listEdges(ctx: ProjectCtx): Promise<Edge[]> {
  const { rows } = await sql<Edge>`
    select d.job_id, j.slug, d.depends_on_job_id from job_dependencies d
    join jobs j on j.project_id = d.project_id and j.id = d.job_id and j.deleted_at is null
    where d.project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows;
}

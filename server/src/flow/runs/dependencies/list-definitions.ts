import type { JobDependencies } from "@millrace/contract/runs/run-dependencies";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

export type Definition = JobDependencies["dependencies"][number];

/** The jobs on whose newest active run a new run of this job depends. */
export async function listDefinitions(ctx: Ctx, project_id: string, job_id: string): Promise<Definition[]> {
  const { rows } = await sql<Definition>`
    select j.id as job_id, j.slug as job_slug, d.condition from job_dependencies d
    join jobs j on j.project_id = d.project_id and j.id = d.depends_on_job_id and j.deleted_at is null
    where d.project_id = ${project_id} and d.job_id = ${job_id}
    order by j.slug`.execute(ctx.db);
  return rows;
}

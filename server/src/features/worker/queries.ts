import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";

/** The job version of each run: it has the schema of the result. A run that does not exist has none. */
export async function versionsOf(ctx: ProjectCtx, run_ids: string[]): Promise<Map<string, string>> {
  if (run_ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; job_version_id: string }>`
    /* prepared */
    select r.id, r.job_version_id from unnest(${run_ids}::uuid[]) as g(id), lateral (
      select r.id, r.job_version_id from runs r where r.project_id = ${ctx.project_id} and r.id = g.id offset 0
    ) r`.execute(ctx.db);
  return new Map(rows.map(({ id, job_version_id }) => [id, job_version_id]));
}

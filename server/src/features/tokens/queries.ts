import { sql } from "kysely";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";

type Named = { run_ids: readonly string[]; workflow_run_ids: readonly string[] };

/** Returns the named objects that do not exist or that the caller cannot see. */
export async function findHidden(ctx: ProjectCtx, { run_ids, workflow_run_ids }: Named) {
  const { rows } = await sql<{ list: "run_ids" | "workflow_run_ids"; id: string }>`
    select 'run_ids' as list, k.id from unnest(${run_ids}::uuid[]) as k(id)
    where not exists (
      select 1 from runs r where r.project_id = ${ctx.project_id} and r.id = k.id and ${visible(ctx, "runs", "r")})
    union all
    select 'workflow_run_ids', k.id from unnest(${workflow_run_ids}::uuid[]) as k(id)
    where not exists (
      select 1 from workflow_runs w
      where w.project_id = ${ctx.project_id} and w.id = k.id and ${visible(ctx, "workflow_runs", "w")})
    limit 1`.execute(ctx.db);
  return rows;
}

import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/**
 * Finds the decision that started each of these workflow runs: its first step decision within a day of its start. Older
 * decisions may have been purged.
 */
export async function findStarts(
  ctx: Ctx,
  keys: readonly { project_id: string; workflow_run_id: string }[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ workflow_run_id: string; ordinal: number }>`
    select g.workflow_run_id, d.ordinal from (
      select distinct * from unnest(
        ${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.workflow_run_id)}::uuid[])
        as g(project_id, workflow_run_id)
    ) g, lateral (
      select w.started_at from workflow_runs w
      where w.project_id = g.project_id and w.id = g.workflow_run_id and w.started_at is not null offset 0
    ) w, lateral (
      select d.ordinal from workflow_decisions d
      where d.project_id = g.project_id and d.workflow_run_id = g.workflow_run_id and d.step_ref is not null
        and d.created_at >= w.started_at and d.created_at < w.started_at + interval '1 day'
      order by d.ordinal limit 1
    ) d`.execute(ctx.db);
  return new Map(rows.map((row) => [row.workflow_run_id, row.ordinal]));
}

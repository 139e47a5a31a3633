import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

const PAGE = 100;

/**
 * Deletes ended workflow runs past WORKFLOW_RUN_RETENTION with their steps, a small page at a time. One that somebody
 * is about to retry is locked, and left. Decisions go with their partitions, waits and job runs by their own age.
 */
export async function removeOldWorkflowRuns(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with old as materialized (
      select project_id, id from workflow_runs
      where finished_at < clock() - ${ctx.config.workflow_run_retention_secs} * interval '1 second'
      order by finished_at limit ${PAGE} for update skip locked
    ),
    steps as (
      delete from step_runs s using old where s.project_id = old.project_id and s.workflow_run_id = old.id
    )
    delete from workflow_runs w using old where w.project_id = old.project_id and w.id = old.id
    returning 1`.execute(ctx.db);
  return rows.length === PAGE;
}

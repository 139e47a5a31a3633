import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { firstIdAt } from "../../platform/ids.ts";

const PAGE = 50; // a capsule may be megabytes

/**
 * Deletes imported workflow runs older than WORKFLOW_RUN_RETENTION, as if they had ended at their import. Ids are in
 * time order, so the primary key finds the oldest.
 */
export async function removeOldCapsules(ctx: Ctx): Promise<boolean> {
  const secs = ctx.config.workflow_run_retention_secs;
  const { rows } = await sql`
    delete from run_capsules c using (
      select p.id as project_id, c.id from projects p, lateral (
        select c.id from run_capsules c
        where c.project_id = p.id and c.id < ${firstIdAt(ctx.watch.nowMs() - secs * 1_000)}
          and c.created_at < clock() - ${secs} * interval '1 second'
        order by c.id limit ${PAGE}
      ) c limit ${PAGE}
    ) old
    where c.project_id = old.project_id and c.id = old.id
    returning 1`.execute(ctx.db);
  return rows.length === PAGE;
}

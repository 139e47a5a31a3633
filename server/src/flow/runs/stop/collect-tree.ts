import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { RunKey } from "../lock-runs.ts";
import { LIVE_STATUSES } from "../refuse-ended.ts";

/** Runs spawn at most 32 levels deep. */
const DEEPEST = 64;

/**
 * The descendants of a run that have not ended, parents before children. Reads without a lock: spawning locks the
 * parent, so once all of them are locked a second read is complete. An ended run may have active children.
 */
export async function collectTree(ctx: Ctx, { project_id, run_id }: RunKey): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive tree as (
      select ${run_id}::uuid as id, '' as status, 0 as depth
      union all
      select r.id, r.status, tree.depth + 1 from tree
      join runs r on r.project_id = ${project_id} and r.parent_run_id = tree.id
      where tree.depth < ${DEEPEST}
    )
    select id from tree where status = any(${LIVE_STATUSES}::text[]) order by depth, id`.execute(ctx.db);
  return rows.map((row) => row.id);
}

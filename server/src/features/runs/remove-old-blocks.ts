import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

/** Blocks outlive their runs, because runs may be deleted late. */
const SPARE_SECS = 7 * 86_400;
const PAGE = 500;

/** Deletes index blocks of runs older than RUN_RETENTION, a small page at a time. */
export async function removeOldBlocks({ db, config }: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with old as materialized (
      select project_id, id from run_blocks
      where filed_at < clock() - ${config.run_retention_secs + SPARE_SECS} * interval '1 second'
      order by filed_at limit ${PAGE}
    )
    delete from run_blocks b using old where b.project_id = old.project_id and b.id = old.id returning 1`.execute(db);
  return rows.length === PAGE;
}

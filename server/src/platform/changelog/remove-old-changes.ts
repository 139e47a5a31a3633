import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import type { RemovedPage } from "../retention/retention-entry.ts";

/** Longer than a stream can resume. */
const KEPT_HOURS = 2;

/**
 * Deletes the oldest changes once every consumer and every drain has read them. A drain that makes no progress keeps
 * no change for longer than its log lines are kept.
 */
export async function removeOldChanges({ db, config }: Ctx, page: number): Promise<RemovedPage> {
  const { rows } = await sql`
    with oldest as materialized (
      select c.position, c.created_at from changelog c order by c.position limit ${sql.lit(page)}
    )
    delete from changelog c using oldest o
    where c.position = o.position and o.created_at < clock() - ${sql.lit(KEPT_HOURS)} * interval '1 hour'
      and o.position <= (select min(position) from log_cursors where counted_to is null)
      and (o.created_at < clock() - ${config.log_retention_secs} * interval '1 second' or o.position < all (
        select d.position from log_drains d join projects p on p.id = d.project_id and p.deleted_at is null
        where d.enabled))
    returning 1`.execute(db);
  return { removed: rows.length, more: rows.length === page };
}

import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";

const PAGE = 500;

/**
 * Deletes events received longer ago than EVENT_TRIGGER_RETENTION, expired ids, and counts of trees that have not grown
 * for as long. A small page of each at a time.
 */
export async function removeOldSourceEvents(ctx: Ctx): Promise<boolean> {
  const before = sql`clock() - ${ctx.config.event_trigger_retention_secs} * interval '1 second'`;
  const counts = [
    await removed(
      ctx,
      sql`delete from source_events where (project_id, id) in (
        select project_id, id from source_events where created_at < ${before} limit ${PAGE})`,
    ),
    await removed(
      ctx,
      sql`delete from source_event_ids where (project_id, source_id, name) in (
        select project_id, source_id, name from source_event_ids where expires_at <= clock() limit ${PAGE})`,
    ),
    await removed(
      ctx,
      sql`delete from run_trees where (project_id, root_run_id) in (
        select project_id, root_run_id from run_trees where updated_at < ${before} limit ${PAGE})`,
    ),
  ];
  return counts.includes(PAGE);
}

async function removed(ctx: Ctx, statement: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await statement.execute(ctx.db);
  return Number(numAffectedRows ?? 0);
}

import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import type { RemovedPage } from "../retention/retention-entry.ts";

const MAX_BATCHES = 20;

type OldBatch = { project_id: string; id: string };

/** Deletes ended batch operations past RUN_RETENTION: first a page of their items, then those without any. */
export async function removeOldBatches(ctx: Ctx, page: number): Promise<RemovedPage> {
  const old = await findOld(ctx);
  let items = 0;
  for (const [operations, batch] of old.entries()) {
    items += await removeItems(ctx, batch, page - items);
    if (items === page) return { removed: items + operations, more: true };
    await sql`
      delete from batch_operations where project_id = ${batch.project_id} and id = ${batch.id}`.execute(ctx.db);
  }
  return { removed: items + old.length, more: old.length === MAX_BATCHES };
}

async function findOld(ctx: Ctx): Promise<OldBatch[]> {
  const { rows } = await sql<OldBatch>`
    select p.id as project_id, b.id from projects p, lateral (
      select b.id from batch_operations b
      where b.project_id = p.id and b.created_at < clock() - ${ctx.config.run_retention_secs} * interval '1 second'
        and b.finished_at < clock() - ${ctx.config.run_retention_secs} * interval '1 second'
      order by b.created_at, b.id limit ${MAX_BATCHES}
    ) b limit ${MAX_BATCHES}`.execute(ctx.db);
  return rows;
}

async function removeItems(ctx: Ctx, { project_id, id }: OldBatch, max: number): Promise<number> {
  const { rows } = await sql`
    delete from batch_items
    where project_id = ${project_id} and batch_id = ${id} and item_index <= coalesce((
      select item_index from batch_items
      where project_id = ${project_id} and batch_id = ${id} order by item_index offset ${max - 1} limit 1
    ), 2147483647)
    returning 1`.execute(ctx.db);
  return rows.length;
}

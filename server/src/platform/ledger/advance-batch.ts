import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";

export type BatchItem = {
  item_index: number;
  target_id: string | null;
  status: "succeeded" | "failed" | "skipped";
  detail?: unknown;
  error?: string;
};

type BatchPlace = { project_id: string; batch_id: string };

/**
 * Notes items in the transaction that acted on them, and closes the batch with the last one. An item that was noted
 * before counts once: a batch resumed after a crash cannot be counted twice. Nothing is noted on a batch that has
 * ended. Answers how many were new.
 */
export async function advanceBatch(
  ctx: Ctx & InTransaction,
  { project_id, batch_id }: BatchPlace,
  items: readonly BatchItem[],
): Promise<number> {
  const { rows } = await sql<{ noted: number }>`
    /* kept */
    with batch as (
      select total from batch_operations
      where project_id = ${project_id} and id = ${batch_id} and status = 'running' for no key update
    ),
    noted as (
      insert into batch_items (project_id, batch_id, item_index, target_id, status, detail, error, created_at)
      select ${project_id}, ${batch_id}, i.item_index, i.target_id, i.status, i.detail, i.error, clock()
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
        as i(item_index integer, target_id text, status text, detail jsonb, error text), batch
      on conflict (project_id, batch_id, item_index) do nothing
      returning status
    ),
    counted as (
      select count(*)::int as noted,
        count(*) filter (where status = 'succeeded')::int as succeeded,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status = 'skipped')::int as skipped
      from noted
    )
    update batch_operations b
    set processed = b.processed + c.noted,
      succeeded = b.succeeded + c.succeeded,
      failed = b.failed + c.failed,
      skipped = b.skipped + c.skipped,
      prev_status = b.status,
      status = case when b.processed + c.noted = b.total then 'completed' else b.status end,
      finished_at = case when b.processed + c.noted = b.total then clock() end,
      updated_at = clock()
    from counted c
    where b.project_id = ${project_id} and b.id = ${batch_id} and b.status = 'running'
    returning c.noted
  `.execute(ctx.db);
  return rows[0]?.noted ?? 0;
}

import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { isId } from "../ids.ts";

export type BatchItem = {
  item_index: number;
  target_id: string | null;
  status: "succeeded" | "failed" | "skipped";
  detail?: unknown;
  error?: string | undefined;
  /** A code for programs, if there is one. */
  error_code?: string;
};

export type BatchKey = {
  project_id: string;
  batch_id: string;
  /** Opened in the same transaction: nothing can have been recorded before, so no lookup is needed. */
  is_new?: true;
};

/** Progress of a batch with a filter. Its total is the number of items found, once the walk has ended. */
export type BatchWalk = { cursor: object; is_over: boolean };

/**
 * Records items in the transaction that acted on them, and closes the batch with the last one. An item recorded before
 * counts once, so a batch resumed after a crash is not counted twice. Ignored on a batch that has ended. Returns how
 * many were new.
 */
export async function advanceBatch(
  ctx: Ctx & InTransaction,
  { project_id, batch_id, is_new }: BatchKey,
  items: readonly BatchItem[],
  walk?: BatchWalk,
): Promise<number> {
  const isOver = sql`coalesce(${walk?.is_over ?? null}::boolean, b.processed + c.noted = b.total)`;
  const { rows } = await sql<{ noted: number }>`
    /* prepared */
    with batch as (
      select total from batch_operations
      where project_id = ${project_id} and id = ${batch_id} and status = 'running' for no key update
    ),
    noted as (
      insert into batch_items (
        project_id, batch_id, item_index, target_id, status, detail, error, error_code, created_at)
      select ${project_id}, ${batch_id}, i.item_index, i.target_id, i.status, i.detail, i.error, i.error_code, clock()
      from ${batchRows(items)}, batch
      ${is_new ? sql`` : sql`on conflict (project_id, batch_id, item_index) do nothing`}
      returning status
    ),
    counted as (
      select count(*)::int as noted,
        count(*) filter (where status = 'succeeded')::int as succeeded,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status = 'skipped')::int as skipped
      from noted
    ),
    advanced as (
      update batch_operations b
      set processed = b.processed + c.noted,
        succeeded = b.succeeded + c.succeeded,
        failed = b.failed + c.failed,
        skipped = b.skipped + c.skipped,
        total = case ${walk?.is_over ?? null}::boolean when true then b.processed + c.noted
          when false then greatest(b.total, b.processed + c.noted) else b.total end,
        walk = coalesce(${walk ? JSON.stringify(walk.cursor) : null}::jsonb, b.walk),
        failures = 0,
        prev_status = b.status,
        status = case when ${isOver} then 'completed' else b.status end,
        finished_at = case when ${isOver} then clock() end,
        lease_until = case when not ${isOver} then b.lease_until end,
        lease_token = case when not ${isOver} then b.lease_token end,
        updated_at = clock()
      from counted c
      where b.project_id = ${project_id} and b.id = ${batch_id} and b.status = 'running'
      returning b.project_id, b.id, c.noted
    ),
    ${appendStates("batch_operation", sql`advanced`)}
    select noted from advanced
  `.execute(ctx.db);
  changesAppended(ctx, "batch_operation");
  return rows[0]?.noted ?? 0;
}

/**
 * Items as rows `i` to select from. Those of a bulk trigger mostly succeeded, with a run each: these are sent as
 * arrays.
 */
function batchRows(items: readonly BatchItem[]): Sql {
  return items.every(fitsLists) ? rowsAsLists(items) : rowsAsJson(items);
}

function rowsAsLists(items: readonly BatchItem[]): Sql {
  const indexes = `{${items.map(({ item_index }) => item_index).join(",")}}`;
  const targets = `{${items.map(({ target_id }) => target_id).join(",")}}`;
  return sql`(
    select u.item_index, u.target_id, 'succeeded' as status, null::jsonb as detail, null::text as error, null::text as error_code
    from unnest(${indexes}::int[], ${targets}::text[]) as u(item_index, target_id)
  ) i`;
}

function rowsAsJson(items: readonly BatchItem[]): Sql {
  return sql`json_to_recordset(${JSON.stringify(items)}::json)
    as i(item_index integer, target_id text, status text, detail jsonb, error text, error_code text)`;
}

function fitsLists({ target_id, status, detail, error, error_code }: BatchItem): boolean {
  return (
    status === "succeeded" && target_id !== null && isId(target_id) && (detail ?? error ?? error_code) === undefined
  );
}

import { sql } from "kysely";
import type { Ctx } from "../context.ts";
import { perService } from "../service-state.ts";

/** Rows per statement: some milliseconds. */
const MAX_CHANGES = 1_000;
/** How often the whole inbox is scanned, for a commit that came later than any of our transactions can. */
const FULL_SCAN_MS = 60_000;

const scannedAt = perService((_: Ctx) => ({ ms: Number.NEGATIVE_INFINITY }));

/**
 * Moves what has committed from the inbox into the changelog, with the next positions. Consumers call it before they
 * read, on any instance: the lock on the head makes positions visible in their order. The changes of one run keep
 * their order, because each transaction that changes a run holds its row until it commits, and ids of the inbox
 * increase.
 */
export async function sequenceChanges(ctx: Ctx): Promise<void> {
  while ((await sequenceOnce(ctx)) === MAX_CHANGES);
}

/** The position before everything that commits from now on. */
export async function positionNow(ctx: Ctx): Promise<number> {
  await sequenceChanges(ctx);
  const { rows } = await sql<{ position: number }>`
    /* prepared */
    select position from changelog_head`.execute(ctx.db);
  if (!rows[0]) throw new Error("the changelog has no head");
  return rows[0].position;
}

/** By the server's own clock: it is about how long transactions last. */
const IS_MARK_OLD = sql`h.marked_at < statement_timestamp() - interval '1 minute'`;

/**
 * A transaction that holds its snapshot for hours keeps vacuum from removing sequenced rows, so the scan starts above
 * `scan_after`: the last id of more than a minute ago. Our transactions are shorter. Returns how many rows it found:
 * another instance may have taken them while this one waited for the head.
 */
async function sequenceOnce(ctx: Ctx): Promise<number> {
  const scanned = scannedAt(ctx);
  const isFull = performance.now() - scanned.ms > FULL_SCAN_MS;
  const { rows } = await sql<{ count: number }>`
    /* prepared */
    with head as materialized (
      select h.position, case when ${isFull} then 0 else h.scan_after end as scan_after from changelog_head h
      where exists (select 1 from changelog_inbox i where i.id > case when ${isFull} then 0 else h.scan_after end)
      for update
    ),
    found as materialized (
      select c.id from changelog_inbox c where c.id > (select scan_after from head) order by c.id limit ${sql.lit(MAX_CHANGES)}
    ),
    taken as (
      delete from changelog_inbox i where i.id = any(array(select id from found))
      returning i.*
    ),
    numbered as (
      insert into changelog (
        position, project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, row_ids, is_alike,
        wall_ms, waited_ms, created_at)
      select (select position from head) + row_number() over (order by t.id), t.project_id, t.kind, t.ids, t.ordinals,
        t.from_statuses, t.to_statuses, t.causes, t.attempts, t.row_ids, t.is_alike, t.wall_ms, t.waited_ms, t.created_at
      from taken t
    ),
    counted as (select count(*)::int as count, max(id) as last_id from taken),
    moved as (
      update changelog_head h set position = h.position + c.count, last_id = greatest(h.last_id, c.last_id),
        scan_after = case when ${IS_MARK_OLD} then h.marked_id else h.scan_after end,
        marked_id = case when ${IS_MARK_OLD} then h.last_id else h.marked_id end,
        marked_at = case when ${IS_MARK_OLD} then statement_timestamp() else h.marked_at end
      from counted c where c.count > 0
    )
    select count(*)::int as count from found`.execute(ctx.db);
  if (isFull) scanned.ms = performance.now();
  return rows[0]?.count ?? 0;
}

import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { perService } from "../service-state.ts";

/** Rows per statement, which takes a few milliseconds. */
const MAX_CHANGES = 1_000;
/** How often the whole inbox is scanned, and the start of the other scans is moved. */
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

/**
 * A transaction that holds its snapshot for hours keeps vacuum from removing sequenced rows, so the scan starts above
 * `scan_after`: an id up to which every transaction has ended. Returns how many rows it found: another instance may have
 * taken them while this one waited for the head.
 */
async function sequenceOnce(ctx: Ctx): Promise<number> {
  const scanned = scannedAt(ctx);
  const isFull = performance.now() - scanned.ms > FULL_SCAN_MS;
  // Read before the snapshot of the scan, which then sees everything up to that id.
  const { ended_to, next_mark, read_at } = isFull ? await readMark(ctx) : NO_MARK;
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
        position, project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, row_ids, is_uniform,
        wall_ms, waited_ms, http_statuses, created_at)
      select (select position from head) + row_number() over (order by t.id), t.project_id, t.kind, t.ids, t.ordinals,
        t.from_statuses, t.to_statuses, t.causes, t.attempts, t.row_ids, t.is_uniform, t.wall_ms, t.waited_ms,
        t.http_statuses, t.created_at
      from taken t
    ),
    counted as (
      select count(*)::int as count, max(id) as last_id,
        ${ended_to}::bigint is not null and (select count(*) from found) < ${sql.lit(MAX_CHANGES)} as is_all
      from taken
    ),
    moved as (
      update changelog_head h set position = h.position + c.count, last_id = greatest(h.last_id, c.last_id),
        scan_after = case when c.is_all then greatest(h.scan_after, ${ended_to}::bigint) else h.scan_after end,
        marked_id = case when c.is_all then greatest(h.marked_id, ${next_mark}::bigint) else h.marked_id end,
        marked_at = case when c.is_all then greatest(h.marked_at, ${read_at}::timestamptz) else h.marked_at end
      from counted c where c.count > 0
    )
    select count(*)::int as count from found`.execute(ctx.db);
  if (isFull) scanned.ms = performance.now();
  return rows[0]?.count ?? 0;
}

type Mark = { ended_to: number | null; next_mark: number | null; read_at: string | null };
const NO_MARK: Mark = { ended_to: null, next_mark: null, read_at: null };

/**
 * `ended_to`: the marked id, if every transaction that may have an id up to it in the inbox has ended. A
 * transaction that writes to the inbox holds a ROW EXCLUSIVE lock on it until it ends; others do not, however long they
 * last. `next_mark`: an id that was assigned before `read_at`.
 */
async function readMark(ctx: Ctx): Promise<Mark> {
  const { rows } = await sql<{ marked_id: number; last_id: number; marked_at: string }>`
    /* prepared */
    select h.marked_id, h.last_id, h.marked_at from changelog_head h`.execute(ctx.db);
  if (!rows[0]) throw new Error("the changelog has no head");
  const { marked_id, last_id, marked_at } = rows[0];
  const { has_older, read_at } = await findWriters(ctx, marked_at);
  return has_older ? NO_MARK : { ended_to: marked_id, next_mark: last_id, read_at };
}

/**
 * Whether a transaction that has written to the inbox began before a time. Reads only the catalog: on a distributed
 * database a table in the same statement would take it to the node of that table, where locks and times are others.
 */
async function findWriters(ctx: Ctx, before: string): Promise<{ has_older: boolean; read_at: string }> {
  const { rows } = await sql<{ has_older: boolean; read_at: string }>`
    /* prepared */
    select exists (
      select 1 from pg_locks l left join pg_stat_activity a on a.pid = l.pid
      where l.relation = 'changelog_inbox'::regclass and l.mode = 'RowExclusiveLock' and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and coalesce(a.xact_start, '-infinity') < ${before}::timestamptz + interval '1 millisecond'
    ) as has_older, statement_timestamp() as read_at`.execute(ctx.db);
  if (!rows[0]) throw new Error("no row");
  return rows[0];
}

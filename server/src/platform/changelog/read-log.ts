import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";

/** Append-only tables whose rows carry the transaction that wrote them (`xid`) and their time (`created_at`). */
export const LOGS = {
  run_transitions: sql`run_transitions`,
  workflow_decisions: sql`workflow_decisions`,
  run_usage: sql`run_usage`,
};
export type LogTable = keyof typeof LOGS;

/**
 * A cursor in a log: everything up to and including the transaction `after_xid` has been read. No unread row is older
 * than `floor_at`, which lets the planner skip the partitions of earlier days.
 */
export type LogCursor = { after_xid: string; floor_at: string };

export type LogSlice<T> = { rows: (T & { xid: string })[]; place: LogCursor; has_more: boolean };

export type LogReading = {
  most: number;
  /** Which rows of `l` are wanted. Evaluated on data committed together with them, so it may read other tables. */
  only?: RawBuilder<unknown>;
};

/**
 * Returns the next batch of rows committed to a log after a cursor, in the order of transactions, and the next cursor.
 * Nothing is skipped or repeated: only transactions below the oldest one still writing are read, each of them whole, so
 * a batch may be longer than `most`. A cursor over times or ids would miss late commits.
 */
export async function readLog<T extends object>(
  ctx: Ctx,
  table: LogTable,
  { after_xid, floor_at }: LogCursor,
  { most, only }: LogReading,
): Promise<LogSlice<T>> {
  const { rows } = await sql<Slice<T>>`
    with settled as materialized (select ${SETTLED_XID} as settled_xid, ${LOG_FLOOR} as settled_floor),
    cut as materialized (
      select l.xid from ${LOGS[table]} l
      where ${only !== undefined}::boolean and l.xid > ${after_xid}::xid8 and l.created_at >= ${floor_at}::timestamptz
      order by l.xid offset ${MOST_LOOKED_AT} limit 1
    ),
    slice as (
      select l.* from ${LOGS[table]} l
      where l.xid > ${after_xid}::xid8 and l.xid <= (select settled_xid from settled)
        and l.xid <= coalesce((select xid from cut), (select settled_xid from settled))
        and l.created_at >= ${floor_at}::timestamptz and ${only ?? sql`true`}
      order by l.xid fetch first ${most} rows with ties
    )
    select slice.*, settled_xid, settled_floor, cut.xid as cut_xid
    from settled left join cut on cut.xid < settled_xid left join slice on true
    order by slice.xid, slice.created_at`.execute(ctx.db);
  const read = rows.filter((row) => row.xid !== null);
  const last_xid = (read.length >= most ? read.at(-1)?.xid : undefined) ?? rows[0]?.cut_xid ?? undefined;
  // A full batch ends at its last transaction, a truncated scan where it stopped; otherwise everything up to the
  // committed horizon was read.
  const place = last_xid
    ? { after_xid: last_xid, floor_at }
    : { after_xid: rows[0]?.settled_xid ?? after_xid, floor_at: rows[0]?.settled_floor ?? floor_at };
  return { rows: read, place, has_more: last_xid !== undefined };
}

/** Rows scanned per pass. Few of them may be wanted, so a consumer far behind catches up in bounded steps. */
const MOST_LOOKED_AT = 20_000;

type Slice<T> = T & { xid: string; settled_xid: string; settled_floor: string; cut_xid: string | null };

/** The cursor before everything that commits from now on. */
export async function placeNow(ctx: Ctx): Promise<LogCursor> {
  const { rows } = await sql<LogCursor>`
    select ${SETTLED_XID} as after_xid, ${LOG_FLOOR} as floor_at`.execute(ctx.db);
  if (!rows[0]) throw new Error("the query returned no row");
  return rows[0];
}

/** No transaction lasts a day, so no unread row is older than this. */
export const LOG_FLOOR = sql`(clock() - interval '1 day')::text`;

/**
 * The committed horizon: the newest transaction below all that are still writing. Read-only transactions have no
 * transaction id and delay nothing.
 */
export const SETTLED_XID = sql`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8`;

/** The cursor before the very first row. */
export const LOG_START: LogCursor = { after_xid: "0", floor_at: "-infinity" };

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

export type LogBatchRead<T> = { rows: (T & { xid: string })[]; place: LogCursor; has_more: boolean };

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
): Promise<LogBatchRead<T>> {
  const { rows } = await sql<LogRow<T>>`
    with horizon as materialized (select ${HORIZON_XID} as horizon_xid, ${LOG_FLOOR} as horizon_floor),
    cut as materialized (
      select l.xid from ${LOGS[table]} l
      where ${only !== undefined}::boolean and l.xid > ${after_xid}::xid8 and l.created_at >= ${floor_at}::timestamptz
      order by l.xid offset ${MOST_SCANNED} limit 1
    ),
    batch as (
      select l.* from ${LOGS[table]} l
      where l.xid > ${after_xid}::xid8 and l.xid <= (select horizon_xid from horizon)
        and l.xid <= coalesce((select xid from cut), (select horizon_xid from horizon))
        and l.created_at >= ${floor_at}::timestamptz and ${only ?? sql`true`}
      order by l.xid fetch first ${most} rows with ties
    )
    select batch.*, horizon_xid, horizon_floor, cut.xid as cut_xid
    from horizon left join cut on cut.xid < horizon_xid left join batch on true
    order by batch.xid, batch.created_at`.execute(ctx.db);
  const read = rows.filter((row) => row.xid !== null);
  const last_xid = (read.length >= most ? read.at(-1)?.xid : undefined) ?? rows[0]?.cut_xid ?? undefined;
  // A full batch ends at its last transaction, a truncated scan where it stopped; otherwise everything up to the
  // committed horizon was read.
  const place = last_xid
    ? { after_xid: last_xid, floor_at }
    : { after_xid: rows[0]?.horizon_xid ?? after_xid, floor_at: rows[0]?.horizon_floor ?? floor_at };
  return { rows: read, place, has_more: last_xid !== undefined };
}

/** Rows scanned per pass. Few of them may be wanted, so a consumer far behind catches up in bounded steps. */
const MOST_SCANNED = 20_000;

type LogRow<T> = T & { xid: string; horizon_xid: string; horizon_floor: string; cut_xid: string | null };

/** The cursor before everything that commits from now on. */
export async function placeNow(ctx: Ctx): Promise<LogCursor> {
  const { rows } = await sql<LogCursor>`
    select ${HORIZON_XID} as after_xid, ${LOG_FLOOR} as floor_at`.execute(ctx.db);
  if (!rows[0]) throw new Error("the query returned no row");
  return rows[0];
}

/** No transaction lasts a day, so no unread row is older than this. */
export const LOG_FLOOR = sql`(clock() - interval '1 day')::text`;

/**
 * The committed horizon: the newest transaction below all that are still writing. Read-only transactions have no
 * transaction id and delay nothing.
 */
export const HORIZON_XID = sql`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1)::text::xid8`;

/** The cursor before the very first row. */
export const LOG_START: LogCursor = { after_xid: "0", floor_at: "-infinity" };

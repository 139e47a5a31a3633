import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import {
  LOG_FLOOR,
  LOGS,
  type LogPlace,
  type LogReading,
  type LogTable,
  MOST_LOOKED_AT,
  SETTLED_XID,
} from "./read-log.ts";

/** Transactions of a log, one after the other: after the first number, up to and including the second. */
export type LogStretch = { after_xid: string; to_xid: string; floor_at: string };

type Measured = {
  rows: number;
  last_xid: string | null;
  cut_xid: string | null;
  settled_xid: string;
  settled_floor: string;
};

/**
 * What `readLog` would read next, without reading it: for those who let the database sum it up, so that the rows need
 * not come to us. Undefined: there is nothing.
 */
export async function nextStretch(
  ctx: Ctx,
  table: LogTable,
  { after_xid, floor_at }: LogPlace,
  { most, only }: LogReading,
): Promise<{ stretch: LogStretch | undefined; place: LogPlace; has_more: boolean }> {
  const { rows } = await sql<Measured>`
    with settled as materialized (select ${SETTLED_XID} as settled_xid, ${LOG_FLOOR} as settled_floor),
    cut as materialized (
      select l.xid from ${LOGS[table]} l
      where ${only !== undefined}::boolean and l.xid > ${after_xid}::xid8 and l.created_at >= ${floor_at}::timestamptz
      order by l.xid offset ${MOST_LOOKED_AT} limit 1
    ),
    few as materialized (
      select l.xid from ${LOGS[table]} l
      where l.xid > ${after_xid}::xid8 and l.xid <= (select settled_xid from settled)
        and l.xid <= coalesce((select xid from cut), (select settled_xid from settled))
        and l.created_at >= ${floor_at}::timestamptz and ${only ?? sql`true`}
      order by l.xid limit ${most}
    )
    select (select count(*)::int from few) as rows, (select xid from few order by xid desc limit 1) as last_xid,
      settled_xid, settled_floor, cut.xid as cut_xid
    from settled left join cut on cut.xid < settled_xid`.execute(ctx.db);
  const [found] = rows;
  if (!found) throw new Error("a snapshot without a row");
  const end_xid = (found.rows >= most ? found.last_xid : null) ?? found.cut_xid;
  const place = end_xid
    ? { after_xid: end_xid, floor_at }
    : { after_xid: found.settled_xid, floor_at: found.settled_floor };
  const stretch = found.rows === 0 ? undefined : { after_xid, to_xid: place.after_xid, floor_at };
  return { stretch, place, has_more: end_xid !== null };
}

/** Whether a row `l` of the log lies within. */
export function isWithin({ after_xid, to_xid, floor_at }: LogStretch): RawBuilder<unknown> {
  return sql`l.xid > ${after_xid}::xid8 and l.xid <= ${to_xid}::xid8 and l.created_at >= ${floor_at}::timestamptz`;
}

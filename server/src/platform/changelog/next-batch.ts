import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import { HORIZON_XID, LOG_FLOOR, LOGS, type LogCursor, type LogTable } from "./read-log.ts";

/** A range of transactions of a log: after `after_xid`, up to and including `to_xid`. */
export type LogBatch = { after_xid: string; to_xid: string; floor_at: string };

type Measured = { first_xid: string | null; cut_xid: string | null; horizon_xid: string; horizon_floor: string };

/**
 * The next transactions of a log without their rows, for consumers that let the database aggregate them. It ends with
 * the transaction of row number `most`, wanted or not: counting only the wanted ones would read the log twice.
 * Undefined: there are none.
 */
export async function nextBatch(
  ctx: Ctx,
  table: LogTable,
  place: LogCursor,
  most: number,
): Promise<{ batch: LogBatch | undefined; place: LogCursor; has_more: boolean }> {
  const { after_xid, floor_at } = place;
  const settled = sql`l.xid <= (select horizon_xid from settled)`;
  const next = sql`select l.xid from ${LOGS[table]} l where ${isAfter(place)} and ${settled} order by l.xid`;
  const { rows } = await sql<Measured>`
    /* prepared */
    with settled as materialized (select ${HORIZON_XID} as horizon_xid, ${LOG_FLOOR} as horizon_floor)
    select (${next} limit 1) as first_xid, (${next} offset ${sql.lit(most - 1)} limit 1) as cut_xid, horizon_xid, horizon_floor
    from settled`.execute(ctx.db);
  const [found] = rows;
  if (!found) throw new Error("the query returned no row");
  const { first_xid, cut_xid, horizon_xid, horizon_floor } = found;
  const to = cut_xid ? { after_xid: cut_xid, floor_at } : { after_xid: horizon_xid, floor_at: horizon_floor };
  const batch = first_xid === null ? undefined : { after_xid, to_xid: to.after_xid, floor_at };
  return { batch, place: to, has_more: cut_xid !== null };
}

/** Whether a row `l` of the log is in the range. */
export function isWithin(batch: LogBatch): RawBuilder<unknown> {
  return sql`${isAfter(batch)} and l.xid <= (select ${batch.to_xid}::xid8)`;
}

/**
 * In subselects, so that the planner does not see the values: with them a custom plan would look cheaper than the
 * generic one, and PostgreSQL would plan every pass, which takes longer than most passes.
 */
function isAfter({ after_xid, floor_at }: LogCursor): RawBuilder<unknown> {
  return sql`l.xid > (select ${after_xid}::xid8) and l.created_at >= (select ${floor_at}::timestamptz)`;
}

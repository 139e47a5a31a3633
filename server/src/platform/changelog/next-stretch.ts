import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import { LOG_FLOOR, LOGS, type LogPlace, type LogTable, SETTLED_XID } from "./read-log.ts";

/** A range of transactions of a log: after the first number, up to and including the second. */
export type LogStretch = { after_xid: string; to_xid: string; floor_at: string };

type Measured = { first_xid: string | null; cut_xid: string | null; settled_xid: string; settled_floor: string };

/**
 * The next transactions of a log without their rows, for consumers that let the database aggregate them. It ends with
 * the transaction of row number `most`, wanted or not: counting only the wanted ones would read the log twice.
 * Undefined: there are none.
 */
export async function nextStretch(
  ctx: Ctx,
  table: LogTable,
  place: LogPlace,
  most: number,
): Promise<{ stretch: LogStretch | undefined; place: LogPlace; has_more: boolean }> {
  const { after_xid, floor_at } = place;
  const settled = sql`l.xid <= (select settled_xid from settled)`;
  const next = sql`select l.xid from ${LOGS[table]} l where ${isAfter(place)} and ${settled} order by l.xid`;
  const { rows } = await sql<Measured>`
    /* prepared */
    with settled as materialized (select ${SETTLED_XID} as settled_xid, ${LOG_FLOOR} as settled_floor)
    select (${next} limit 1) as first_xid, (${next} offset ${sql.lit(most - 1)} limit 1) as cut_xid, settled_xid, settled_floor
    from settled`.execute(ctx.db);
  const [found] = rows;
  if (!found) throw new Error("the query returned no row");
  const { first_xid, cut_xid, settled_xid, settled_floor } = found;
  const to = cut_xid ? { after_xid: cut_xid, floor_at } : { after_xid: settled_xid, floor_at: settled_floor };
  const stretch = first_xid === null ? undefined : { after_xid, to_xid: to.after_xid, floor_at };
  return { stretch, place: to, has_more: cut_xid !== null };
}

/** Whether a row `l` of the log is in the range. */
export function isWithin(stretch: LogStretch): RawBuilder<unknown> {
  return sql`${isAfter(stretch)} and l.xid <= (select ${stretch.to_xid}::xid8)`;
}

/**
 * Selected, so that the planner does not see the values: a custom plan for these numbers would look cheaper than the
 * prepared one, and it would plan every pass, which takes longer than most passes.
 */
function isAfter({ after_xid, floor_at }: LogPlace): RawBuilder<unknown> {
  return sql`l.xid > (select ${after_xid}::xid8) and l.created_at >= (select ${floor_at}::timestamptz)`;
}

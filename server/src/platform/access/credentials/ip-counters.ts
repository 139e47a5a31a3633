import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";

type Counter = {
  name: string;
  client: string;
  limit: number;
  /** How many requests are counted at once: all or none. Default: 1. */
  amount?: number;
};

type Counted = {
  admitted: boolean;
  remaining: number;
  reset_secs: number;
  /** The second whose slot they were counted in. */
  second: number;
};

/** Counts requests if the limit allows it. Exact over all instances: no 60-second window ever exceeds the limit. */
export async function countRequestOf(ctx: Ctx, counter: Counter): Promise<Counted> {
  const row = await admit(ctx, counter);
  if (row) {
    const remaining = counter.limit - sum(row.admitted);
    return { admitted: true, remaining, reset_secs: secondsUntilRoom(row.admitted), second: row.last_second };
  }
  return { admitted: false, remaining: 0, reset_secs: secondsUntilRoom(await readSlots(ctx, counter)), second: 0 };
}

/** Returns requests that were counted in a second and never admitted, unless it has left the window. */
export async function uncountRequests(
  ctx: Ctx,
  { name, client, second, amount }: { name: string; client: string; second: number; amount: number },
): Promise<void> {
  const slot = sql`(61 - (last_second - ${second}::bigint))::int`;
  await sql`
    update ip_counters set admitted[${slot}] = greatest(0, admitted[${slot}] - ${amount}::int)
    where limit_name = ${name} and client = ${client} and last_second - ${second}::bigint between 0 and 60`.execute(
    ctx.db,
  );
}

type Row = { admitted: number[]; last_second: number };

/** The counter's 61 slots shifted to the current second: oldest first, current last. */
const gone = sql`case when ${wentBack()} then 61 else least(61, greatest(0, excluded.last_second - c.last_second)) end::int`;
const slidWindow = sql`(c.admitted[1 + ${gone} : 61] || array_fill(0, array[${gone}]))`;

/**
 * Slides the window to now and adds the requests if the limit allows it, in one statement. Concurrent requests of one
 * client queue on the row, so none slips through between counting and adding. Undefined: over the limit.
 */
async function admit(ctx: Ctx, { name, client, limit, amount = 1 }: Counter): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    insert into ip_counters as c (limit_name, client, admitted, last_second)
    values (${name}, ${client}, array_fill(0, array[60]) || ${amount}::int, extract(epoch from clock())::bigint)
    on conflict (limit_name, client) do update
    set admitted = ${slidWindow}[1:60] || (${slidWindow}[61] + ${amount}::int),
      last_second = case when c.last_second - excluded.last_second > ${sql.lit(MAX_LATE_SECS)} then excluded.last_second
        else greatest(c.last_second, excluded.last_second) end
    where (select sum(s) from unnest(${slidWindow}) s) <= ${limit}::int - ${amount}::int
    returning admitted, last_second`.execute(ctx.db);
  return rows[0];
}

/** Whether the clock went back by more than the window: the counted requests may have left it long ago. */
function wentBack() {
  return sql`c.last_second - excluded.last_second > 61`;
}

/**
 * A statement that waited is late by a few seconds, but not by more: then the clock went back. The window moves back with
 * it, because otherwise it would be full until the clock has caught up, and for another minute.
 */
const MAX_LATE_SECS = 10;

async function readSlots(ctx: Ctx, { name, client }: Counter): Promise<number[]> {
  const { rows } = await sql<{ admitted: number[]; gone: number }>`
    with now as (select extract(epoch from clock())::bigint as second),
    moved as (
      update ip_counters set last_second = now.second from now
      where limit_name = ${name} and client = ${client} and last_second - now.second > ${sql.lit(MAX_LATE_SECS)}
    )
    select admitted, second - last_second as gone from ip_counters, now
    where limit_name = ${name} and client = ${client}`.execute(ctx.db);
  return rows[0] ? rows[0].admitted.slice(Math.max(0, rows[0].gone)) : [];
}

/** The oldest counted second leaves the window first. */
function secondsUntilRoom(slots: number[]): number {
  return Math.max(1, slots.findIndex((count) => count > 0) + 1);
}

function sum(slots: number[]): number {
  return slots.reduce((total, count) => total + count, 0);
}

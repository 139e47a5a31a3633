import type { Ctx, InTransaction } from "../context.ts";
import { type Sql, sql } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

/** A table in daily partitions by `created_at`, named `<table>_20300131`, with the default partition `<table>_rest`. */
export type Partitioned = { table: "run_logs" | "run_transitions" | "workflow_decisions"; keep_secs: number };

const DAYS_AHEAD = 3;
const PAGE = 10_000;
/**
 * At most this many rows of a day written before its partition existed are moved; a day with more stays in the default
 * partition.
 */
const MAX_MOVED = 100_000;

/**
 * Creates the partitions of the coming days and drops expired ones: dropping a day takes milliseconds and leaves
 * nothing to vacuum. Returns whether there is more to delete.
 */
export async function keepPartitions(ctx: Ctx, { table, keep_secs }: Partitioned): Promise<boolean> {
  const { missing, outdated } = await comparePartitions(ctx, { table, keep_secs });
  for (const day of missing) await inTransaction(ctx, (tx) => addPartition(tx, table, day));
  for (const name of outdated) await inTransaction(ctx, (tx) => dropPartition(tx, table, name));
  return deleteFromRest(ctx, { table, keep_secs });
}

async function comparePartitions(ctx: Ctx, { table, keep_secs }: Partitioned) {
  const { rows } = await sql<{ missing: string[]; outdated: string[] }>`
    with days as (
      select to_char((clock() at time zone 'UTC')::date + ahead, 'YYYYMMDD') as day
      from generate_series(0, ${DAYS_AHEAD}) as ahead
    ),
    partitions as (
      select c.relname::text as name, right(c.relname, 8) as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::regclass and c.relname ~ '_[0-9]{8}$'
    )
    select
      array(select day from days where day not in (select day from partitions) order by day) as missing,
      array(select name from partitions
        where (to_date(day, 'YYYYMMDD') + 1)::timestamp
          <= (clock() - ${keep_secs} * interval '1 second') at time zone 'UTC'
        order by day) as outdated`.execute(ctx.db);
  return rows[0] ?? { missing: [], outdated: [] };
}

/**
 * Creates the partition as a separate table and then attaches it. Everybody else waits a few milliseconds meanwhile. A
 * row being written to the default partition would be rejected once its day has a partition. A statement that has listed the
 * partitions and waits for the default one, which attaching locks, would then read neither the moved rows there nor the
 * new partition, and the publisher of webhooks would skip their events.
 */
async function addPartition(tx: Ctx & InTransaction, table: string, day: string): Promise<void> {
  const [parent, rest, partition] = [sql.id(table), sql.id(`${table}_rest`), sql.id(`${table}_${day}`)];
  const [from, to] = [startOf(day, 0), startOf(day, 1)];
  await waitBriefly(tx);
  await sql`lock table only ${parent} in access exclusive mode`.execute(tx.db);
  const { rows } = await sql<{ is_there: boolean; early: number }>`
    select to_regclass(${`${table}_${day}`}) is not null as is_there, (
      select count(*) from (
        select 1 from ${rest} where created_at >= ${from} and created_at < ${to} limit ${MAX_MOVED + 1}
      ) t
    ) as early`.execute(tx.db);
  if (rows[0]?.is_there || (rows[0]?.early ?? 0) > MAX_MOVED) return;
  await sql`create table ${partition} (like ${parent} including all)`.execute(tx.db);
  await copySamples(tx, table, partition);
  await sql`
    with moved as (delete from ${rest} where created_at >= ${from} and created_at < ${to} returning *)
    insert into ${partition} select * from moved`.execute(tx.db);
  await sql`
    alter table ${parent} attach partition ${partition}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx.db);
}

/**
 * `like` copies everything except the statistics targets of columns. Before PostgreSQL 17, dropped columns have a target
 * of 0, and the default is -1 instead of null.
 */
async function copySamples(tx: Ctx & InTransaction, table: string, partition: Sql): Promise<void> {
  const { rows } = await sql<{ name: string; target: number }>`
    select attname::text as name, attstattarget::int as target from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attstattarget >= 0`.execute(tx.db);
  if (rows.length === 0) return;
  const samples = rows.map(({ name, target }) => sql`alter column ${sql.id(name)} set statistics ${sql.lit(target)}`);
  await sql`alter table ${partition} ${sql.join(samples)}`.execute(tx.db);
}

/**
 * Locks the parent first, as the drop itself does: of two instances dropping the same day, one would find it half gone.
 */
async function dropPartition(tx: Ctx & InTransaction, table: string, name: string): Promise<void> {
  await waitBriefly(tx);
  await sql`lock table only ${sql.id(table)} in access exclusive mode`.execute(tx.db);
  await sql`drop table if exists ${sql.id(name)}`.execute(tx.db);
}

/** A waiting lock request blocks all later ones: better to skip a day than to pause the table. */
async function waitBriefly(tx: Ctx & InTransaction): Promise<void> {
  await sql`set local lock_timeout = '500ms'`.execute(tx.db);
}

/** Rows that never got a partition of their own. */
async function deleteFromRest(ctx: Ctx, { table, keep_secs }: Partitioned): Promise<boolean> {
  const rest = sql.id(`${table}_rest`);
  const { rowCount } = await sql`
    delete from ${rest} where ctid = any(array(
      select ctid from ${rest} where created_at < clock() - ${keep_secs} * interval '1 second' limit ${PAGE}
    ))`.execute(ctx.db);
  return rowCount === PAGE;
}

/** Midnight, UTC. */
function startOf(day: string, daysLater: number): string {
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)].map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, date + daysLater)).toISOString();
}

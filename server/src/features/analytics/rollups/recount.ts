import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { setMinutes } from "./set-minutes.ts";
import type { Tallies } from "./tallies.ts";

export type Recount = {
  /** The name of its cursor in `log_cursors`. */
  name: string;
  series: "events" | "webhooks";
  /** How long rows may still change after all transactions have ended. */
  open_secs: number;
  /** Whether counts may decrease. If not, rows that are no longer found were removed, and their counts stay. */
  canFall: boolean;
  /** Counts everything from this time on. */
  count: (tx: Ctx & InTransaction, from: string) => Promise<Tallies>;
};

/** For writes of a transaction that `pg_stat_activity` shows slightly late. */
const SPARE_SECS = 5;
/** So a reader that stays open for hours does not make every pass recount hours. */
const MAX_TRANSACTION_SECS = 3_600;

/**
 * One pass over tables that have no log: it recounts the minutes that may still change and replaces their counts, so
 * failures never count anything twice. A minute is final once no open transaction began in it: later commits have later
 * times.
 */
export async function recount(ctx: Ctx, { name, series, open_secs, canFall, count }: Recount): Promise<void> {
  // Read before the counting snapshot: a transaction that begins later has a later time.
  const { rows } = await sql<{ horizon_at: string }>`
    select date_trunc('minute', clock() - interval '1 second' * (${open_secs + SPARE_SECS} + least(${MAX_TRANSACTION_SECS}, coalesce((
      select extract(epoch from max(statement_timestamp() - a.xact_start)) from pg_stat_activity a
      where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()), 0))))::text
      as horizon_at`.execute(ctx.db);
  const horizon_at = rows[0]?.horizon_at;
  if (horizon_at === undefined) return;
  await inTransaction(ctx, async (tx) => {
    const from = await lockCursor(tx, name);
    if (from === undefined) return;
    await setMinutes(tx, { series, from, found: await count(tx, from), canFall });
    await sql`
      update log_cursors set counted_to = greatest(counted_to, ${horizon_at}::timestamptz), updated_at = clock()
      where consumer = ${name}`.execute(tx.db);
  });
}

/**
 * Undefined: another instance holds the lock. A new cursor starts with the last hour: counting a whole table takes too
 * long.
 */
async function lockCursor(tx: Ctx & InTransaction, name: string): Promise<string | undefined> {
  await sql`
    insert into log_cursors (consumer, position, counted_to, updated_at)
    values (${name}, 0, date_trunc('minute', clock() - interval '1 hour'), clock())
    on conflict do nothing`.execute(tx.db);
  const { rows } = await sql<{ counted_to: string }>`
    select counted_to from log_cursors where consumer = ${name} for update skip locked`.execute(tx.db);
  return rows[0]?.counted_to;
}

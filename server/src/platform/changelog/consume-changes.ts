import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { inTransaction } from "../database/transaction.ts";
import { type LogRange, nextRange } from "./log-range.ts";
import { sequenceChanges } from "./sequence-changes.ts";

/** The consumer that keeps all sums: rollups, costs, usage, budgets, and the search index. */
export const SUMS_CONSUMER = "sum-changes";

/** A consumer of the changelog over all projects, from its first row on. */
export type Consumer = {
  /** Name of its cursor. */
  name: string;
  /** About how many changes a pass covers: at most a few tenths of a second in the database. */
  max: number;
  /**
   * Yields after each pass while many runs change, because it competes with them for the database, and catches up when
   * the load ends. Otherwise passes follow at once until it has caught up.
   */
  yieldsToRuns?: boolean;
  /** Processes the changes of the range, in the transaction that moves the cursor: exactly once. */
  take: (tx: Ctx & InTransaction, range: LogRange) => Promise<void>;
};

/** One pass: continues from the consumer's cursor. Returns whether another is due at once. */
export async function consumeChanges(ctx: Ctx, consumer: Consumer): Promise<boolean> {
  await sequenceChanges(ctx);
  const hasMore = await consumeOnce(ctx, consumer);
  return hasMore && !(consumer.yieldsToRuns && (await areRunsBusy(ctx)));
}

function consumeOnce(ctx: Ctx, { name, max, take }: Consumer): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const position = await lockCursor(tx, name);
    if (position === undefined) return false;
    const { range, has_more } = await nextRange(tx, position, max);
    if (range) await take(tx, range);
    await sql`
      /* prepared */
      update log_cursors set position = ${range?.to ?? position}, updated_at = clock()
      where consumer = ${name}`.execute(tx.db);
    return has_more;
  });
}

/** Locks the cursor of a consumer for this transaction. Undefined: another instance has it. */
async function lockCursor(tx: Ctx & InTransaction, name: string): Promise<number | undefined> {
  const held = await lockExisting(tx, name);
  if (held !== undefined) return held;
  await sql`
    insert into log_cursors (consumer, position, updated_at) values (${name}, 0, clock())
    on conflict do nothing`.execute(tx.db);
  return lockExisting(tx, name);
}

async function lockExisting(tx: Ctx & InTransaction, name: string): Promise<number | undefined> {
  const { rows } = await sql<{ position: number }>`
    /* prepared */
    select position from log_cursors where consumer = ${name} for update skip locked`.execute(tx.db);
  return rows[0]?.position;
}

/** From this many changes in two seconds, background work yields to runs; below, there is capacity for both. */
const MANY_CHANGES = 200;

/** How many of the newest changelog rows are read to decide this. */
const LAST = 1_000;

/** Whether the end of the changelog has that many changes of runs from the last two seconds. */
async function areRunsBusy({ db }: Ctx): Promise<boolean> {
  const { rows } = await sql<{ is_busy: boolean }>`
    /* prepared */
    select coalesce(sum(cardinality(c.ids)), 0) >= ${sql.lit(MANY_CHANGES)} as is_busy from (
      select c.kind, c.ids, c.created_at from changelog c order by c.position desc limit ${sql.lit(LAST)}
    ) c
    where c.kind = 'run' and c.created_at > clock() - interval '2 seconds'`.execute(db);
  return rows[0]?.is_busy ?? false;
}

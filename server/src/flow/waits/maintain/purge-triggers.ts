import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { deleteTriggers, isReleased } from "./delete-triggers.ts";

export type PurgeOrder = {
  project_id: string;
  older_than_days: number;
  /** Only those of this environment. */
  environment_id?: string | null | undefined;
};

const PAGE = 1_000;

/**
 * Deletes the triggers of a project that ended at least this many days ago, a page in each transaction; `alongside` is
 * written with the last, and gets the total. Returns the total too.
 */
export async function purgeTriggers<C extends Ctx>(
  ctx: C,
  order: PurgeOrder,
  alongside: (tx: C & InTransaction, deleted: number) => Promise<void>,
): Promise<number> {
  const before = await readCutoff(ctx, order);
  for (let deleted = 0; ; ) {
    const deletedBefore = deleted;
    const page = await inTransaction(ctx, async (tx) => {
      const count = await deleteTriggers(tx, olderThan(order, before), PAGE);
      if (count < PAGE) await alongside(tx, deletedBefore + count);
      return count;
    });
    deleted += page;
    if (page < PAGE) return deleted;
  }
}

/** How many `purgeTriggers` would delete now. */
export async function countPurgeable(ctx: Ctx, order: PurgeOrder): Promise<number> {
  const before = await readCutoff(ctx, order);
  const { rows } = await sql<{ matched: number }>`
    select count(*)::int as matched from event_triggers t
    where t.project_id = ${order.project_id} and t.status <> 'waiting' and ${olderThan(order, before)}
      and ${isReleased()}`.execute(ctx.db);
  return rows[0]?.matched ?? 0;
}

/** Fixed at the beginning: triggers that end while pages are deleted are not included. */
async function readCutoff(ctx: Ctx, { older_than_days }: PurgeOrder): Promise<string> {
  const { rows } = await sql<{ before: string }>`
    select (clock() - ${older_than_days} * interval '24 hours')::timestamptz(3) as before`.execute(ctx.db);
  return rows[0]?.before ?? "";
}

function olderThan({ project_id, environment_id }: PurgeOrder, before: string): RawBuilder<unknown> {
  return sql`t.project_id = ${project_id} and t.finished_at <= ${before}::timestamptz
    ${environment_id == null ? sql`` : sql`and t.environment_id = ${environment_id}`}`;
}

import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { type DueRows, processDue } from "./process-due-rows.ts";
import { unblockNext } from "./unblock-next.ts";

const PAGE = 100;
const WINDOWS: DueRows = {
  name: "release-rates",
  rows: sql`rate_windows t where t.next_at is not null`,
  at: sql`t.next_at`,
};
const MAX_AT_ONCE = 500;

type DueWindow = { project_id: string; key: string; max: number };

/** Unblocks runs blocked on a rate limit when its window has capacity: as many as the limit could admit. */
export function releaseRates(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, WINDOWS, PAGE, (ofProject, max) => releasePage(ctx, ofProject, max));
}

async function releasePage(ctx: Ctx, ofProject: RawBuilder<unknown>, max: number): Promise<number> {
  const { rows } = await sql<DueWindow>`
    /* prepared */
    select project_id, key, least(${sql.lit(MAX_AT_ONCE)}, greatest(1, (select sum(s) from unnest(starts) as s)))::int as max
    from rate_windows where next_at is not null and next_at <= clock() ${ofProject}
    order by next_at limit ${sql.lit(max)}`.execute(ctx.db);
  for (const window of rows) await inTransaction(ctx, (tx) => release(tx, window));
  return rows.length;
}

/**
 * Under the window's lock, like a claim that blocks on it: either its runs are seen, or it writes `next_at` after us.
 */
async function release(tx: Ctx & InTransaction, { project_id, key, max }: DueWindow): Promise<void> {
  const { rows } = await sql`
    update rate_windows set next_at = null, updated_at = clock()
    where project_id = ${project_id} and key = ${key} and next_at <= clock() returning 1`.execute(tx.db);
  if (rows.length === 0) return;
  const unblocked = await unblockNext(tx, project_id, new Map([[key, max]]));
  if (unblocked === max) await scheduleNextRelease(tx, project_id, key);
}

/**
 * More may be blocked than were released, and all released ones may be admitted: then nothing else would set the timer.
 */
async function scheduleNextRelease(tx: Ctx & InTransaction, project_id: string, key: string): Promise<void> {
  await sql`
    update rate_windows set next_at = clock() + window_secs * interval '1 second' / 60
    where project_id = ${project_id} and key = ${key}`.execute(tx.db);
}

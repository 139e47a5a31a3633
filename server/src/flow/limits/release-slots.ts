import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { fewRows } from "../../platform/database/few-rows.ts";
import { unblockNext } from "./unblock-next.ts";

/**
 * Releases concurrency slots and unblocks as many runs, in the transaction in which the holders leave `running`.
 * Pipelined: blocked runs are read after the counters are locked, and a claim that blocks a run holds the same locks.
 */
export async function releaseSlots(
  tx: Ctx & InTransaction,
  project_id: string,
  slots: readonly string[],
): Promise<void> {
  if (slots.length === 0) return;
  const released = new Map<string, number>();
  for (const key of slots) released.set(key, (released.get(key) ?? 0) + 1);
  const [, blocked] = await Promise.all([
    lowerCounters(tx, project_id, released),
    findBlocked(tx, project_id, [...released.keys()]),
  ]);
  await unblockNext(tx, project_id, new Map([...released].filter(([key]) => blocked.has(key))));
}

async function lowerCounters(
  tx: Ctx & InTransaction,
  project_id: string,
  released: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    /* prepared */
    with locked as materialized (
      select g.key, g.count
      from (
        select * from unnest(${[...released.keys()]}::text[], ${[...released.values()]}::int[]) as g(key, count)
        where ${fewRows("g.key")} order by g.key
      ) g,
      lateral (
        select 1 from concurrency_counters c where c.project_id = ${project_id} and c.key = g.key for update
      ) c
    )
    update concurrency_counters c set active = greatest(0, c.active - l.count)
    from locked l where c.project_id = ${project_id} and c.key = l.key`.execute(tx.db);
}

/** The limits that some run is blocked on: mostly none, and then nothing more is to be done. */
async function findBlocked(tx: Ctx & InTransaction, project_id: string, keys: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ key: string }>`
    /* prepared */
    select g.key from unnest(${keys}::text[]) as g(key), lateral (
      select 1 from run_queue q
      where q.project_id = ${project_id} and q.blocked_on = g.key and q.blocked_on is not null and q.blocked_on <> 'not_due'
      order by q.rank_at, q.run_id limit 1
    ) q`.execute(tx.db);
  return new Set(rows.map((row) => row.key));
}

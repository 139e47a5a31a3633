import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Lane, wakeLanes } from "../runs/claim/lanes.ts";

/**
 * Unblocks the next runs blocked on each reason, in queue order; for a limit each gets a grant: a slot that no other
 * run takes. Never waits for locks: a transaction that locks a blocked row and leaves it blocked retries its unblock
 * after its own commit. Updates by key, not by row position: a row changed since this statement began has a new
 * version, and its unblock would be lost. Returns how many were unblocked.
 */
export async function unblockNext(
  tx: Ctx & InTransaction,
  project_id: string,
  counts: ReadonlyMap<string, number>,
): Promise<number> {
  const lanes = await unblockSilently(tx, project_id, counts);
  wakeLanes(tx, lanes);
  return lanes.length;
}

/** The same without waking the lanes: for a caller that claims the runs itself. */
export async function unblockSilently(
  tx: Ctx & InTransaction,
  project_id: string,
  counts: ReadonlyMap<string, number>,
): Promise<Lane[]> {
  if (counts.size === 0) return [];
  const { rows } = await sql<Lane>`
    with next as materialized (
      select q.run_id from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as g(reason, max),
      lateral (
        select q.run_id from run_queue q
        where q.project_id = ${project_id} and q.blocked_on = g.reason and q.blocked_on is not null
          and q.blocked_on <> 'not_due'
        order by q.rank_at, q.run_id limit g.max for update skip locked
      ) q
    )
    update run_queue q set blocked_on = null, granted_by = ${limitOf("q.blocked_on")}, released_at = clock()
    from next n where q.project_id = ${project_id} and q.run_id = n.run_id
    returning q.project_id, q.host, q.rank_at`.execute(tx.db);
  return rows;
}

/** The reason in a column if it is a limit, for which a slot can be granted. Null for any other. */
export function limitOf(column: string): RawBuilder<string | null> {
  const reason = sql.ref(column);
  return sql`case when split_part(${reason}, ':', 1) in ('job', 'key', 'rate') then ${reason} end`;
}

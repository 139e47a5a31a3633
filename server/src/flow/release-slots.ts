import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { Lane } from "./lanes.ts";
import { unblockNext } from "./unblock-next.ts";

/**
 * Releases concurrency slots and unblocks as many runs, in the transaction in which the holders leave `running`. The
 * counters are locked before anything is unblocked. Wake the lanes after the commit.
 */
export async function releaseSlots(
  tx: Ctx & InTransaction,
  project_id: string,
  slots: readonly string[],
): Promise<Lane[]> {
  if (slots.length === 0) return [];
  const { rows } = await sql<{ key: string; freed: number }>`
    with freed as materialized (
      select k as key, count(*)::int as freed from unnest(${[...slots]}::text[]) as k group by k
    ),
    locked as materialized (
      select c.key, f.freed from concurrency_counters c join freed f on f.key = c.key
      where c.project_id = ${project_id} order by c.key for update of c
    )
    update concurrency_counters c set active = greatest(0, c.active - l.freed)
    from locked l where c.project_id = ${project_id} and c.key = l.key
    returning c.key, l.freed`.execute(tx.db);
  return unblockNext(tx, project_id, new Map(rows.map((row) => [row.key, row.freed])));
}

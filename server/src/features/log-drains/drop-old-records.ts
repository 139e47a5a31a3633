import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { KEPT_RECORDS, KEPT_SECS } from "./drain-rules.ts";
import { linesAfter, matches } from "./read-records.ts";

/** Per call: the caller repeats it if there are more. */
const MAX_DROPPED = 50_000;

export type Dropped = { cursor: DrainCursor; count: number };

/**
 * The records that a drain drops: lines that have waited for more than an hour while more than a hundred thousand newer
 * ones wait after them.
 */
export async function findOldRecords(ctx: Ctx, drain: ClaimedDrain): Promise<Dropped | undefined> {
  const { rows } = await sql<{ position: number; id: string; count: number }>`
    with newest_kept as materialized (
      select l.position, l.id from ${linesAfter(drain)} join runs r on r.project_id = l.project_id and r.id = l.run_id
      where ${matches(drain)}
      order by l.position desc, l.id desc offset ${KEPT_RECORDS} limit 1
    ),
    old as materialized (
      select l.position, l.id from ${linesAfter(drain)} join runs r on r.project_id = l.project_id and r.id = l.run_id
      where ${matches(drain)} and (l.position, l.id) <= (select position, id from newest_kept)
        and l.created_at < clock() - ${KEPT_SECS} * interval '1 second'
      order by l.position, l.id limit ${MAX_DROPPED}
    )
    select position, id, (select count(*) from old)::int as count
    from old order by old.position desc, old.id desc limit 1`.execute(ctx.db);
  const last = rows[0];
  if (!last) return undefined;
  return { cursor: { position: last.position, after_id: last.id }, count: last.count };
}

import type { Ctx } from "../../../platform/context.ts";
import { hasKeyOf } from "../../../platform/database/has-key-of.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { type Lane, wakeLanes } from "../claim/lanes.ts";
import { nextTurns } from "../turns/next-turn.ts";
import { type DueRows, hasDue, processDue } from "./process-due-rows.ts";

const PAGE = 1_000;
const DELAYED: DueRows = {
  name: "release-due",
  rows: sql`run_queue t where t.blocked_on = 'not_due'`,
  at: sql`t.run_at`,
};

/** A run is due to be queued. */
export const HAS_DUE_RUNS = hasDue(DELAYED);

/**
 * Unblocks runs whose start time has come. Rows that are not due stay out of the claim's index: a million of them cost
 * 388 ms per claim when the claim skipped over them.
 */
export function releaseDue(ctx: Ctx): Promise<boolean> {
  return processDue(ctx, DELAYED, PAGE, (ofProject, max) => releasePage(ctx, ofProject, max));
}

async function releasePage(ctx: Ctx, ofProject: Sql, max: number): Promise<number> {
  const { rows } = await sql<Lane>`
    /* prepared */
    with due as materialized (
      select project_id, run_id, job_id, concurrency_key, run_at, rank_at from run_queue
      where blocked_on = 'not_due' and run_at <= clock() ${ofProject}
      order by run_at limit ${max} for update skip locked
    ),
    turns as materialized (
      select d.run_id, ${nextTurns("d", { takes: sql`true`, due_at: sql`d.run_at`, lead: sql`(d.run_at - d.rank_at)`, id: sql`d.run_id` })} as interleave_at
      from due d where d.concurrency_key is not null
    )
    update run_queue q set blocked_on = null,
      interleave_at = (select t.interleave_at from turns t where t.run_id = q.run_id),
      turn_at = (select t.interleave_at from turns t where t.run_id = q.run_id) - (q.run_at - q.rank_at)
    from due d where ${hasKeyOf("q", "d", "run_id")}
    returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
  wakeLanes(ctx, rows);
  return rows.length;
}

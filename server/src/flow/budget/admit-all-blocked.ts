import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { perService } from "../../platform/service-state.ts";
import { admitBlocked, type QueuePosition } from "./admit-blocked.ts";

const PAGE = 1_000;

/** Where the last pass stopped, in projects with more blocked runs than one pass reads. */
const cursorsOf = perService(() => new Map<string, QueuePosition>());

/**
 * The fallback timer of budgets: covers new periods, manual changes, and work that a lost instance left. Few projects
 * have a budget; each costs one read of the first blocked runs.
 */
export async function admitAllBlocked(ctx: Ctx): Promise<boolean> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await sql<{ project_id: string; has_blocked: boolean }>`
      /* prepared */
      select b.project_id, coalesce((
        select true from run_queue q where q.project_id = b.project_id and q.blocked_on = 'budget' limit 1), false) as has_blocked
      from project_budgets b where b.project_id > ${after}::uuid order by b.project_id limit ${sql.lit(PAGE)}`.execute(
      ctx.db,
    );
    for (const { project_id } of rows.filter((row) => row.has_blocked)) await admitOf(ctx, project_id);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return false;
    after = last.project_id;
  }
}

async function admitOf(ctx: Ctx, project_id: string): Promise<void> {
  const cursors = cursorsOf(ctx);
  const next = await admitBlocked(ctx, project_id, cursors.get(project_id));
  if (next) cursors.set(project_id, next);
  else cursors.delete(project_id);
}

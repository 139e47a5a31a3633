import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { logFailure } from "../../../platform/logging/log-failure.ts";
import { countRepairs } from "../../../platform/repairs.ts";
import type { RunKey } from "../lock-runs.ts";
import { LIVE_STATUSES } from "../states.ts";
import { settleDependents } from "./settle-dependents.ts";

const PAGE = 500;
const GRACE_SECS = 30;

/**
 * The fallback of the outbox: open links to runs that have ended a while ago, or were removed. In a correct system it
 * finds nothing; repairs are logged and counted.
 */
export async function reconcileDependencies(ctx: Ctx): Promise<boolean> {
  let repaired = 0;
  for (const ended of await listUnapplied(ctx)) {
    const settling = settleDependents(ctx, ended).catch((error: unknown) => {
      // One that cannot be settled must not keep the others from being repaired.
      logFailure(ctx, error, ended, "dependents could not be settled");
      return { settled: 0 };
    });
    repaired += (await settling).settled;
  }
  await countRepairs(ctx, { dependencies: repaired });
  if (repaired > 0) ctx.log.error({ repaired }, "runs waited for others that had ended; repaired");
  return false;
}

/** Walks only the open links, and looks each run up by its key. */
async function listUnapplied(ctx: Ctx): Promise<RunKey[]> {
  const { rows } = await sql<RunKey>`
    select d.project_id, d.depends_on_run_id as run_id from (
      select distinct project_id, depends_on_run_id from run_dependencies
      where settled_at is null and created_at < clock() - ${GRACE_SECS} * interval '1 second'
    ) d left join lateral (
      select r.status, r.finished_at from runs r
      where r.project_id = d.project_id and r.id = d.depends_on_run_id offset 0
    ) r on true
    where r.status is null
      or (r.status <> all(${LIVE_STATUSES}::text[]) and r.finished_at < clock() - ${GRACE_SECS} * interval '1 second')
    limit ${PAGE}`.execute(ctx.db);
  return rows;
}

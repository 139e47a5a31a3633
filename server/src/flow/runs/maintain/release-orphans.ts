import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { wakeLanes } from "../claim/lanes.ts";

const PAGE = 500;

type Orphan = { project_id: string; run_id: string; status: string };

/**
 * An expired lease on a run that is not running can be settled by no instance, and would be read for ever: a pending
 * run is queued again, the row of any other is removed.
 */
export async function releaseOrphans(ctx: Ctx): Promise<void> {
  const { rows } = await sql<Orphan>`
    select q.project_id, q.run_id, r.status from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status <> 'running'
    where q.lease_until is not null and q.lease_until <= clock()
    order by q.lease_until limit ${PAGE}`.execute(ctx.db);
  for (const orphan of rows) {
    if (orphan.status === "pending") await putBack(ctx, orphan);
    else await remove(ctx, orphan);
  }
  if (rows.length > 0) ctx.log.error({ runs: rows.length }, "released orphaned leases of runs that are not running");
}

async function putBack(ctx: Ctx, { project_id, run_id }: Orphan): Promise<void> {
  const { rows } = await sql<{ project_id: string; host: string; rank_at: string }>`
    update run_queue q set lease_until = null, lease_token = null, instance_id = null, accepted_at = null,
      deadline = null, slots = null
    from runs r
    where q.project_id = ${project_id} and q.run_id = ${run_id} and q.lease_until <= clock()
      and r.project_id = q.project_id and r.id = q.run_id and r.status = 'pending'
    returning q.project_id, q.host, q.rank_at`.execute(ctx.db);
  wakeLanes(ctx, rows);
}

async function remove(ctx: Ctx, { project_id, run_id }: Orphan): Promise<void> {
  await sql`
    delete from run_queue q using runs r
    where q.project_id = ${project_id} and q.run_id = ${run_id} and q.lease_until <= clock()
      and r.project_id = q.project_id and r.id = q.run_id and r.status not in ('pending', 'running')`.execute(ctx.db);
}

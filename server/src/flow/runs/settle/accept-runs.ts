import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { LeasedRun } from "../dispatch/outcome.ts";

/**
 * A run whose endpoint returned 202 owns its lease from now on: its own heartbeats renew it, not an instance. It keeps
 * its concurrency slots. A run that completed before its 202 was stored has no lease left and is not found.
 */
export async function acceptRuns(ctx: Ctx, runs: readonly LeasedRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const given = runs
    .map(({ project_id, run_id, lease_token }) => ({ project_id, run_id, lease_token }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  const { rows } = await sql<{ run_id: string }>`
    with held as materialized (
      select q.project_id, q.run_id
      from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, run_id uuid, lease_token uuid),
      lateral (
        select q.project_id, q.run_id from run_queue q
        where q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
        for update
      ) q
    )
    update run_queue q set accepted_at = clock(), instance_id = null,
      lease_until = least(clock() + q.heartbeat_timeout_secs * interval '1 second', q.deadline)
    from held h where q.project_id = h.project_id and q.run_id = h.run_id
    returning q.run_id`.execute(ctx.db);
  return rows.map((row) => row.run_id);
}

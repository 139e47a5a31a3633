import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { LEASE_SECS } from "./lease-runs.ts";

type Held = { project_id: string; run_id: string; lease_token: string };

/**
 * Renews the leases this instance holds, all in one statement, locked in order of their ids like everywhere. Returns
 * the runs that it no longer owns.
 */
export async function renewLeases(ctx: Ctx, held: readonly Held[]): Promise<string[]> {
  if (held.length === 0) return [];
  const given = held
    .map(({ project_id, run_id, lease_token }) => ({ project_id, run_id, lease_token }))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
  const { rows } = await sql<{ run_id: string }>`
    /* prepared */
    with mine as materialized (
      select q.project_id, q.run_id
      from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, run_id uuid, lease_token uuid),
      lateral (
        select q.project_id, q.run_id from run_queue q
        where q.project_id = g.project_id and q.run_id = g.run_id and q.lease_token = g.lease_token
          and q.instance_id = ${ctx.instance_id}
        for update
      ) q
    )
    update run_queue q set lease_until = clock() + ${LEASE_SECS} * interval '1 second'
    where q.project_id = any(array(select project_id from mine)) and q.run_id = any(array(select run_id from mine))
    returning q.run_id`.execute(ctx.db);
  const renewed = new Set(rows.map((row) => row.run_id));
  return held.map(({ run_id }) => run_id).filter((run_id) => !renewed.has(run_id));
}

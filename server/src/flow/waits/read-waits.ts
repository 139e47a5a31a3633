import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import type { RunKey } from "../runs/lock-runs.ts";

/** The past waits of the run and their results, as the JSON text that a dispatch carries. */
export async function readWaits(ctx: Ctx, { project_id, run_id }: RunKey): Promise<string> {
  const { rows } = await sql<{ waits: string }>`
    select coalesce(jsonb_agg(
      jsonb_build_object('event_key', event_key, 'ordinal', ordinal, 'status', status, 'payload', payload)
      order by ordinal), '[]')::text as waits
    from event_triggers
    where project_id = ${project_id} and job_run_id = ${run_id} and job_run_id is not null
      and status <> 'waiting'`.execute(ctx.db);
  return rows[0]?.waits ?? "[]";
}

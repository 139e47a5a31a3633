import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import type { Lane } from "./lanes.ts";

/**
 * Gives pending runs a fresh place in the queue, as of now or of their `scheduled_at`: after a pause or a wait. Call
 * it in the transaction that made them pending; wake the lanes after its commit.
 */
export async function queueRuns(ctx: Ctx & InTransaction, project_id: string, run_ids: string[]): Promise<Lane[]> {
  const { rows } = await sql<Lane & { parked_on: string | null }>`
    insert into run_queue (
      project_id, run_id, job_id, host, rank_at, line_at, run_at, concurrency_key, parked_on, timeout_secs,
      heartbeat_timeout_secs)
    select r.project_id, r.id, r.job_id, v.host,
      greatest(r.scheduled_at, clock()) - r.priority * interval '1 minute',
      case when r.concurrency_key is not null and r.scheduled_at <= clock() then clock() end,
      greatest(r.scheduled_at, clock()), r.concurrency_key,
      case when j.paused_at is not null then 'paused_job:' || r.job_id when r.scheduled_at > clock() then 'not_due' end,
      r.timeout_secs, v.heartbeat_timeout_secs
    from runs r
    join jobs j on j.project_id = r.project_id and j.id = r.job_id
    join job_versions v on v.project_id = r.project_id and v.id = r.job_version_id
    where r.project_id = ${project_id} and r.id = any(${run_ids}::uuid[]) and r.status = 'pending'
    order by r.id
    on conflict (project_id, run_id) do nothing
    returning project_id, host, rank_at, parked_on`.execute(ctx.db);
  return rows.filter((row) => row.parked_on === null);
}

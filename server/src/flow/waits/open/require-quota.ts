import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { SHARDS } from "../count-triggers.ts";

/** This close to the limit, the counters are locked. More waits than this are never opened concurrently. */
const NEAR = 256;

/**
 * Refuses another wait for an event if the project has reached its quota. Far from the limit the counters are only
 * read. Near it all are locked, in order, before the decision, so the quota is never exceeded. It is the last step of
 * its transaction except for counting the wait itself; a refusal rolls back everything before it.
 */
export async function requireQuota(tx: Ctx & InTransaction, project_id: string): Promise<void> {
  const { rows } = await sql<{ max: number | null; active: number }>`
    select (select max_active_event_triggers from projects where id = ${project_id}) as max,
      (select coalesce(sum(active), 0)::int from event_trigger_counts where project_id = ${project_id}) as active
  `.execute(tx.db);
  const max = rows[0]?.max ?? tx.config.max_active_event_triggers;
  if ((rows[0]?.active ?? 0) + NEAR < max) return;
  if ((await lockAndCount(tx, project_id)) < max) return;
  throw new ApiError("event_trigger_quota", `This project may have at most ${max} waiting event triggers.`);
}

async function lockAndCount(tx: Ctx & InTransaction, project_id: string): Promise<number> {
  // A missing row cannot be locked.
  await sql`
    insert into event_trigger_counts (project_id, shard)
    select ${project_id}::uuid, shard from generate_series(0, ${SHARDS - 1}) as shard
    on conflict (project_id, shard) do nothing`.execute(tx.db);
  const { rows } = await sql<{ active: number }>`
    with locked as materialized (
      select active from event_trigger_counts where project_id = ${project_id} order by shard for update
    )
    select coalesce(sum(active), 0)::int as active from locked`.execute(tx.db);
  return rows[0]?.active ?? 0;
}

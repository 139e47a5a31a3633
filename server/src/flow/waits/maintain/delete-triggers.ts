import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { countTriggers } from "../count-triggers.ts";
import type { WaitKind } from "../send/internal-key.ts";

type Deleted = { project_id: string; wait_kind: WaitKind; status: "received" | "timed_out" | "canceled" };

/**
 * Deletes a page of ended triggers, and adjusts the counts. Every attempt of a run gets its past waits, so these stay
 * as long as the run is active. `event_triggers t`: which ones.
 */
export async function deleteTriggers(
  tx: Ctx & InTransaction,
  which: RawBuilder<unknown>,
  max: number,
): Promise<number> {
  const { rows } = await sql<Deleted>`
    with old as materialized (
      select t.project_id, t.id from event_triggers t where t.status <> 'waiting' and ${which} and ${isReleased()}
      order by t.finished_at limit ${max} for update skip locked
    )
    delete from event_triggers t using old where t.project_id = old.project_id and t.id = old.id
    returning t.project_id, t.wait_kind, t.status`.execute(tx.db);
  await countTriggers(
    tx,
    rows.map(({ project_id, wait_kind, status }) => ({ project_id, wait_kind, from: status, to: null })),
  );
  return rows.length;
}

/** Of `event_triggers t`: no active run has waited on it. */
export function isReleased(): RawBuilder<unknown> {
  return sql`not exists (
    select 1 from runs r where r.project_id = t.project_id and r.id = t.job_run_id and r.finished_at is null)`;
}

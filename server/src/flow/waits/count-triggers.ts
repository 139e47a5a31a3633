import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { TriggerStatus } from "../runs/states.ts";
import type { WaitKind } from "./send/internal-key.ts";

/** A trigger that was created, changed or deleted. `from` null: created; `to` null: deleted. */
export type TriggerChange = {
  project_id: string;
  wait_kind: WaitKind;
  from: TriggerStatus | null;
  to: TriggerStatus | null;
};

export const SHARDS = 16;

type Deltas = { project_id: string; active: number } & Record<TriggerStatus, number>;

/**
 * Updates the counts of a project's triggers, in the transaction of the change. Each session writes to one of sixteen
 * rows, so that few wait for each other, and a transaction that counts twice locks nothing new. Only the sum over all
 * rows is meaningful: one alone may be negative.
 */
export async function countTriggers(tx: Ctx & InTransaction, changes: readonly TriggerChange[]): Promise<void> {
  const deltas = sumByProject(changes);
  if (deltas.length === 0) return;
  await sql`
    /* prepared */
    insert into event_trigger_counts as c (project_id, shard, active, waiting, received, timed_out, canceled)
    select project_id, pg_backend_pid() % ${SHARDS}::int, active, waiting, received, timed_out, canceled
    from json_to_recordset(${JSON.stringify(deltas)}::json) as d(
      project_id uuid, active int, waiting int, received int, timed_out int, canceled int)
    order by project_id
    on conflict (project_id, shard) do update set active = c.active + excluded.active,
      waiting = c.waiting + excluded.waiting, received = c.received + excluded.received,
      timed_out = c.timed_out + excluded.timed_out, canceled = c.canceled + excluded.canceled`.execute(tx.db);
}

function sumByProject(changes: readonly TriggerChange[]): Deltas[] {
  const sums = new Map<string, Deltas>();
  for (const { project_id, wait_kind, from, to } of changes) {
    const sum = sums.get(project_id) ?? { project_id, active: 0, waiting: 0, received: 0, timed_out: 0, canceled: 0 };
    sums.set(project_id, sum);
    if (from !== null) sum[from]--;
    if (to !== null) sum[to]++;
    // Counted by the quota: waits for events.
    if (wait_kind === "event") sum.active += Number(to === "waiting") - Number(from === "waiting");
  }
  return [...sums.values()];
}

import type { Ctx, InTransaction } from "../../platform/context.ts";
import { fewRows } from "../../platform/database/few-rows.ts";
import { sql } from "../../platform/database/sql.ts";
import type { EndedByError } from "../runs/stop/canceled-error.ts";
import type { Sender, TriggerRow } from "./find-trigger.ts";
import { type TriggerKey, triggerOutbox } from "./trigger-changes.ts";

/** How a wait ends. `payload` undefined: there is none, as for a sleep. */
export type TriggerEnd =
  | ({ status: "received"; payload: unknown; send_id?: string } & (Sender | { sent_by: null; sent_by_id?: null }))
  | { status: "timed_out" | "canceled"; error: EndedByError };

export type EndedTrigger = TriggerRow & { generation: number | null };

/**
 * Ends those of the triggers that still wait, all in the same way: of a send, a timer and a cancel exactly one finds
 * the trigger waiting. Locked by id. The payload is not read back: many may have received the same large one. The guard
 * is a `case` for the planner's sake: with `status =` a prepared plan could walk an index of all waiting ones.
 */
export async function endTriggers(
  tx: Ctx & InTransaction,
  keys: readonly TriggerKey[],
  end: TriggerEnd,
): Promise<EndedTrigger[]> {
  if (keys.length === 0) return [];
  const brought =
    end.status === "received" ? end : { payload: undefined, sent_by: null, sent_by_id: null, send_id: null };
  const { rows } = await sql<Omit<EndedTrigger, "payload" | "request_payload">>`
    /* prepared */
    with held as materialized (
      select t.project_id, t.id
      from (
        select * from json_to_recordset(${JSON.stringify(keys.map(rowOf))}::json)
          as g(project_id uuid, trigger_id uuid, one text)
        where ${fewRows("g.one")} order by trigger_id
      ) g, lateral (
        select t.project_id, t.id from event_triggers t
        where t.project_id = g.project_id and t.id = g.trigger_id
          and case when t.status = 'waiting' then true else false end
        for update
      ) t
    ),
    ended as (
      update event_triggers t set prev_status = t.status, status = ${end.status}::text,
        payload = ${jsonOf(brought.payload)}::jsonb,
        error = ${end.status === "received" ? null : JSON.stringify(end.error)}::jsonb,
        sent_by = ${brought.sent_by}::text, sent_by_id = ${brought.sent_by_id ?? null}::text, send_id = ${brought.send_id ?? null}::uuid,
        received_at = case when ${end.status}::text = 'received' then clock() end, finished_at = clock(),
        updated_at = clock()
      from held h where t.project_id = h.project_id and t.id = h.id
      returning t.id, t.event_key, t.project_id, t.environment_id, t.source_type, t.trigger_type, t.wait_kind,
        t.workflow_run_id, t.workflow_step_run_id, t.generation, t.job_run_id, t.status, t.timeout_secs, t.error,
        t.notify_url, t.sent_by, t.sent_by_id, t.expires_at, t.requested_at, t.received_at, t.finished_at,
        t.created_at, t.updated_at
    ),
    ${triggerOutbox(sql`ended`, sql`array[f.status]`)}
    select * from ended`.execute(tx.db);
  const payload = brought.payload ?? null;
  return rows.map((row) => ({ ...row, payload, request_payload: payload }));
}

function rowOf({ project_id, trigger_id }: TriggerKey): object {
  return { project_id, trigger_id, one: "" };
}

/** SQL null means no payload; JSON null is a payload like any other. */
function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

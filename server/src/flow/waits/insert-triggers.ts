import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { internalKey, type WaitKind } from "./event-keys.ts";
import { type Sender, TRIGGER_COLUMNS, type TriggerRow } from "./find-trigger.ts";
import { type TriggerChange, triggerOutbox } from "./trigger-changes.ts";

export type NewTrigger = {
  id: string;
  project_id: string;
  environment_id: string;
  wait_kind: WaitKind;
  /** Null: no event can be sent to it. */
  event_key: string | null;
  workflow_run_id: string | null;
  workflow_step_run_id: string | null;
  generation: number | null;
  job_run_id: string | null;
  ordinal: number | null;
  child_run_id: string | null;
  timeout_secs: number | null;
  /** In place of `timeout_secs`. */
  until: string | null;
  notify_url: string | null;
  /** Its event has already arrived. */
  received: ({ payload: unknown } & Sender) | null;
};

/** Creates waits, waiting or received. For those with a key the caller holds its lock, and counts them later. */
export async function insertTriggers(tx: Ctx & InTransaction, triggers: readonly NewTrigger[]): Promise<TriggerRow[]> {
  if (triggers.length === 0) return [];
  const { rows } = await sql<TriggerRow>`
    /* prepared */
    with created as (
      insert into event_triggers as t (
        project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind, workflow_run_id,
        workflow_step_run_id, generation, job_run_id, ordinal, child_run_id, status, timeout_secs, payload, notify_url,
        sent_by, sent_by_id, expires_at, requested_at, received_at, finished_at, created_at, updated_at)
      select project_id, id, event_key, environment_id,
        case when job_run_id is null then 'workflow_step' else 'job_run' end,
        case when wait_kind = 'sleep' then 'sleep' else 'event' end, wait_kind, workflow_run_id, workflow_step_run_id,
        generation, job_run_id, ordinal, child_run_id, case when is_received then 'received' else 'waiting' end,
        timeout_secs, case when is_received then coalesce(payload, 'null') end, notify_url, sent_by, sent_by_id,
        coalesce(until, clock() + timeout_secs * interval '1 second'), clock(), case when is_received then clock() end,
        case when is_received then clock() end, clock(), clock()
      from json_to_recordset(${JSON.stringify(triggers.map(rowOf))}::json) as g(
        project_id uuid, id uuid, event_key text, environment_id uuid, wait_kind text, workflow_run_id uuid,
        workflow_step_run_id uuid, generation int, job_run_id uuid, ordinal int, child_run_id uuid, is_received boolean,
        timeout_secs int, until timestamptz(3), payload jsonb, notify_url text, sent_by text, sent_by_id text)
      returning ${TRIGGER_COLUMNS}
    ),
    ${triggerOutbox(sql`created`, CREATION)}
    select * from created`.execute(tx.db);
  return rows;
}

/** A wait created as received counts as both created and received. */
const CREATION = sql`case f.status when 'waiting' then array['created'] else array['created', f.status] end`;

/** In the form that `updateTriggerCounts` expects. */
export function creationOf({ project_id, wait_kind, status }: TriggerRow): TriggerChange {
  return { project_id, wait_kind, from: null, to: status };
}

function rowOf({ received, event_key, ...trigger }: NewTrigger): object {
  return {
    ...trigger,
    event_key: event_key ?? internalKey(trigger.wait_kind, trigger.id),
    is_received: received !== null,
    payload: received?.payload,
    sent_by: received?.sent_by ?? null,
    sent_by_id: received?.sent_by_id ?? null,
  };
}

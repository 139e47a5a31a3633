import type { EventTrigger } from "@millrace/contract/events/events";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { RunKey } from "../runs/lock-runs.ts";
import { type EventKey, readInternalKey } from "./event-keys.ts";

/**
 * A trigger as presented, without its `callback_url`, which depends on the caller and the request's address, and
 * without its `message`, which belongs to its step (`readApprovalMessages`).
 */
export type TriggerRow = Omit<EventTrigger, "$schema" | "callback_url" | "message">;

/** Of `event_triggers t`. */
export const TRIGGER_COLUMNS = sql`t.id, t.event_key, t.project_id, t.environment_id, t.source_type, t.trigger_type,
  t.wait_kind, t.workflow_run_id, t.workflow_step_run_id, t.job_run_id, t.status, t.timeout_secs, t.payload,
  t.payload as request_payload, t.error, t.notify_url, t.sent_by, t.sent_by_id, t.expires_at, t.requested_at,
  t.received_at, t.finished_at, t.created_at, t.updated_at`;

export async function findTrigger(ctx: Ctx, project_id: string, id: string): Promise<TriggerRow | undefined> {
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t where t.project_id = ${project_id} and t.id = ${id}`.execute(
    ctx.db,
  );
  return rows[0];
}

/** Resolves a key: the trigger that waits for it, else the newest that did; else the internal wait of that name. */
export async function findTriggerByKey(ctx: Ctx, key: EventKey): Promise<TriggerRow | undefined> {
  return (await findUserTrigger(ctx, key)) ?? (await findInternalTrigger(ctx, key));
}

/** The same among waits for events only: those that can receive one. */
export async function findUserTrigger(ctx: Ctx, key: EventKey): Promise<TriggerRow | undefined> {
  return (await findWaiting(ctx, key)) ?? (await findNewestEnded(ctx, key));
}

/** The trigger that waits for the key. There is at most one. */
export async function findWaiting(ctx: Ctx, { project_id, event_key }: EventKey): Promise<TriggerRow | undefined> {
  const { rows } = await sql<TriggerRow>`
    /* prepared */
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${project_id} and t.event_key = ${event_key} and t.status = 'waiting'
      and t.wait_kind = 'event'`.execute(ctx.db);
  return rows[0];
}

async function findNewestEnded(ctx: Ctx, { project_id, event_key }: EventKey): Promise<TriggerRow | undefined> {
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${project_id} and t.event_key = ${event_key} and t.status <> 'waiting'
      and t.wait_kind = 'event'
    order by t.id desc limit 1`.execute(ctx.db);
  return rows[0];
}

async function findInternalTrigger(ctx: Ctx, { project_id, event_key }: EventKey): Promise<TriggerRow | undefined> {
  const named = readInternalKey(event_key);
  if (!named) return undefined;
  const trigger = await findTrigger(ctx, project_id, named.id);
  return trigger?.wait_kind === named.wait_kind ? trigger : undefined;
}

/** Who sent an event. Without an id: a callback, a step or a run, not a caller. */
export type Sender = { sent_by: string; sent_by_id?: string | null | undefined };

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

type Trigger = Pick<TriggerRow, "id" | "workflow_run_id" | "wait_kind">;

/**
 * The messages of approvals among these waits, by the id of the wait. None for a step that was reset or erased since.
 */
export async function readApprovalMessages(
  ctx: Ctx,
  project_id: string,
  triggers: readonly Trigger[],
): Promise<Map<string, string>> {
  const approvals = triggers.filter(({ wait_kind }) => wait_kind === "approval");
  if (approvals.length === 0) return new Map();
  const { rows } = await sql<{ id: string; message: string }>`
    select g.id, s.message
    from unnest(${approvals.map(({ workflow_run_id }) => workflow_run_id)}::uuid[], ${approvals.map(({ id }) => id)}::uuid[])
      as g(workflow_run_id, id), lateral (
        select s.message from step_runs s
        where s.project_id = ${project_id} and s.workflow_run_id = g.workflow_run_id and s.event_trigger_id = g.id
          and s.message is not null
        limit 1
      ) s`.execute(ctx.db);
  return new Map(rows.map(({ id, message }) => [id, message]));
}

import type { EventTrigger } from "@millrace/contract/events";
import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { readInternalKey } from "./send/internal-key.ts";
import type { EventKey } from "./send/lock-event-keys.ts";

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

import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { bufferEvent } from "../waits/buffered-events.ts";
import { type CanceledOwner, consumeCancelKeys, hasCancelKeys } from "../waits/consume-cancel-keys.ts";
import { type EventKey, lockEventKeys } from "../waits/event-keys.ts";
import { findTrigger, findWaiting, type Sender, TRIGGER_COLUMNS, type TriggerRow } from "../waits/find-trigger.ts";
import { lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { resolveTriggers } from "./resolve-triggers.ts";
import { claimSendKey, type FirstSend, type SendKey, setSendKeyResult } from "./send-key.ts";

export type SendRequest = EventKey &
  Sender & {
    payload: unknown;
    /** Buffer it this long for the next wait, if there is none now. */
    buffer_secs?: number | undefined;
    /** A repeated request with the same key gets the first response. */
    idempotency_key?: string | undefined;
    /** The sender reaches only waits of this environment. */
    environment_id?: string | null | undefined;
  };

type SendResult = (
  | { kind: "received"; trigger: TriggerRow }
  /** The wait had already received the same event. */
  | { kind: "resent"; trigger: TriggerRow }
  | { kind: "buffered"; id: string; expires_at: string }
  /** No wait has the key, but the event cancels runs. */
  | { kind: "canceling"; id: string }
) & {
  is_replayed: boolean;
  /** The runs that the event cancels, by the `cancel_on` of their jobs and workflows. */
  canceled: CanceledOwner[];
};

/** Sends an event to the wait for its key, or buffers it for the next one. */
export function sendEvent(ctx: Ctx, request: SendRequest): Promise<SendResult> {
  return inTransaction(ctx, (tx) => sendOnce(tx, request));
}

async function sendOnce(tx: Ctx & InTransaction, request: SendRequest): Promise<SendResult> {
  const key = sendKeyOf(request);
  const first = key && (await claimSendKey(tx, key, newId()));
  if (first && !first.is_first) return repeat(tx, request, first);
  const sent = await send(tx, request);
  if (key) await setSendKeyResult(tx, key, sendKeyResultOf(sent, request));
  return sent;
}

/** The send time of a buffered event is derived from its expiry. */
function sendKeyResultOf(
  result: SendResult,
  { buffer_secs = 0 }: SendRequest,
): { id: string; started_at: string | null } {
  if (result.kind === "canceling") return { id: result.id, started_at: null };
  if (result.kind !== "buffered") return { id: result.trigger.id, started_at: null };
  return { id: result.id, started_at: addSecs(result.expires_at, -buffer_secs) };
}

function addSecs(instant: string, secs: number): string {
  return new Date(Date.parse(instant) + secs * 1_000).toISOString();
}

async function send(tx: Ctx & InTransaction, request: SendRequest): Promise<SendResult> {
  const send_id = newId();
  // Pipelined: the others execute once the lock is held, and see what was committed by then.
  const [, waiter, isCanceling] = await Promise.all([
    lockEventKeys(tx, [request]),
    findWaiting(tx, request),
    hasCancelKeys(tx, request),
  ]);
  const canceled = isCanceling ? await consumeCancelKeys(tx, { ...cancelingOf(request), send_id }) : [];
  const isReached = waiter !== undefined && isWithin(request, waiter);
  if (waiter && !isReached && canceled.length === 0) throw notFound("event trigger");
  const { payload, sent_by, sent_by_id } = request;
  const trigger = isReached && (await deliverEvent(tx, waiter, { payload, sent_by, sent_by_id }));
  if (trigger) return { kind: "received", trigger, is_replayed: false, canceled };
  return { ...(await sendWithoutWait(tx, request, send_id, canceled)), canceled };
}

function sendWithoutWait(
  tx: Ctx & InTransaction,
  request: SendRequest,
  id: string,
  canceled: CanceledOwner[],
): Promise<SendResult> | SendResult {
  if (request.buffer_secs !== undefined) return buffer(tx, request, request.buffer_secs);
  if (canceled.length > 0) return { kind: "canceling", id, is_replayed: false, canceled };
  return resend(tx, request);
}

function cancelingOf({ project_id, event_key, environment_id, sent_by, sent_by_id }: SendRequest) {
  return { project_id, event_key, environment_id, sent_by, sent_by_id, is_prefix: false };
}

/** There is no wait: the newest ended one of the key decides. Payloads are compared as JSON, not as text. */
async function resend(tx: Ctx & InTransaction, request: SendRequest): Promise<SendResult> {
  const { rows } = await sql<TriggerRow & { is_equal: boolean | null }>`
    select ${TRIGGER_COLUMNS}, t.payload = ${JSON.stringify(request.payload)}::jsonb as is_equal from event_triggers t
    where t.project_id = ${request.project_id} and t.event_key = ${request.event_key} and t.status <> 'waiting'
      and t.wait_kind = 'event'
    order by t.id desc limit 1`.execute(tx.db);
  if (!rows[0] || !isWithin(request, rows[0])) throw notFound("event trigger");
  const { is_equal, ...trigger } = rows[0];
  if (trigger.status !== "received") {
    throw new ApiError(
      "event_trigger_ended",
      `Nothing is waiting for the event: the newest wait for its key is ${trigger.status}.`,
    );
  }
  if (is_equal) return { kind: "resent", trigger, is_replayed: false, canceled: [] };
  throw new ApiError("event_already_received", "The event was already received with a different payload.");
}

async function buffer(tx: Ctx & InTransaction, request: SendRequest, buffer_secs: number): Promise<SendResult> {
  const buffered = await bufferEvent(tx, { ...request, buffer_secs });
  if (typeof buffered === "string") throw new ApiError("event_buffer_full", buffered);
  return { kind: "buffered", ...buffered, is_replayed: false, canceled: [] };
}

async function repeat(
  tx: Ctx & InTransaction,
  request: SendRequest,
  { id, started_at }: FirstSend,
): Promise<SendResult> {
  const trigger = await findTrigger(tx, request.project_id, id);
  const again = { is_replayed: true, canceled: [] };
  if (trigger) return { kind: "received", trigger, ...again };
  if (request.buffer_secs === undefined) return { kind: "canceling", id, ...again };
  // It was buffered, and may have been received since.
  return { kind: "buffered", id, expires_at: addSecs(started_at, request.buffer_secs), ...again };
}

function sendKeyOf({ project_id, event_key, payload, buffer_secs, idempotency_key }: SendRequest): SendKey | undefined {
  if (idempotency_key === undefined) return undefined;
  return { project_id, target: `send:${event_key}`, key: idempotency_key, content: { payload, buffer_secs } };
}

function isWithin({ environment_id }: SendRequest, trigger: TriggerRow): boolean {
  return environment_id == null || trigger.environment_id === environment_id;
}

/** An event in delivery, and the workflow runs to be locked with that of its receiver. */
type Event = Sender & { payload: unknown; send_id?: string; workflow_run_ids?: string[] };

/**
 * Delivers an event to a trigger that was read as waiting, in the lock order of its source. Undefined: it has ended
 * meanwhile, by its timer or a cancel.
 */
export async function deliverEvent(
  tx: Ctx & InTransaction,
  { project_id, id, workflow_run_id }: Pick<TriggerRow, "project_id" | "id" | "workflow_run_id">,
  { workflow_run_ids = [], ...event }: Event,
): Promise<TriggerRow | undefined> {
  const locked = workflow_run_id === null ? workflow_run_ids : [workflow_run_id, ...workflow_run_ids];
  const end = { status: "received", ...event } as const;
  // Pipelined, the locks of the workflow runs first.
  const [, [ended]] = await Promise.all([
    locked.length > 0 && lockRunsOfSteps(tx, project_id, locked),
    resolveTriggers(tx, [{ project_id, trigger_id: id }], end),
  ]);
  if (!ended) return undefined;
  const { generation: _, ...trigger } = ended;
  return trigger;
}

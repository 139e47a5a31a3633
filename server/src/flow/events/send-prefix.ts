import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { consumeCancelKeys, countCanceled } from "../waits/consume-cancel-keys.ts";
import { prefixRange } from "../waits/event-keys.ts";
import { type Sender, TRIGGER_COLUMNS, type TriggerRow } from "../waits/find-trigger.ts";
import { lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { resolveTriggers } from "./resolve-triggers.ts";
import { claimSendKey } from "./send-key.ts";

export type PrefixSendRequest = Prefix &
  Sender & {
    payload: unknown;
    /** A repeated request with the same key sends what is left and returns the whole result. */
    idempotency_key?: string | undefined;
  };

/** `triggers` are the first hundred, by key. */
type PrefixSent = { resolved: number; canceled: number; triggers: TriggerRow[]; is_replayed: boolean };

type Send = { id: string | undefined; started_at: string; is_replayed: boolean; canceled: number };
type Page = { triggers: TriggerRow[]; last: string | undefined };

const PAGE = 500;
const MAX_SHOWN = 100;

/**
 * Sends an event to all waits for a key with the prefix, a page in each transaction, and returns after the last. Waits
 * opened after the call began are excluded. Neither buffers nor takes buffered events.
 */
export async function sendPrefix(ctx: Ctx, request: PrefixSendRequest): Promise<PrefixSent> {
  const send = await inTransaction(ctx, (tx) => beginSend(tx, request));
  const { canceled } = send;
  const shown: TriggerRow[] = [];
  let resolved = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { triggers, last }: Page = await sendPage(ctx, request, send, after);
    resolved += triggers.length;
    if (shown.length < MAX_SHOWN) shown.push(...triggers.toSorted(byKey).slice(0, MAX_SHOWN - shown.length));
    after = last;
  }
  if (send.id === undefined) return { resolved, canceled, triggers: shown, is_replayed: false };
  return { ...(await readSent(ctx, request.project_id, send.id)), canceled, is_replayed: send.is_replayed };
}

async function beginSend(tx: Ctx & InTransaction, request: PrefixSendRequest): Promise<Send> {
  const { project_id, prefix, payload, idempotency_key } = request;
  if (idempotency_key !== undefined) {
    const key = { project_id, target: `prefix:${prefix}`, key: idempotency_key, content: { payload } };
    const { id, started_at, is_first } = await claimSendKey(tx, key, newId());
    return { id, started_at, is_replayed: !is_first, canceled: is_first ? await cancelBy(tx, request, id) : 0 };
  }
  const { rows } = await sql<{ now: string }>`select clock()::timestamptz(3) as now`.execute(tx.db);
  const canceled = await cancelBy(tx, request, newId());
  return { id: undefined, started_at: rows[0]?.now ?? "", is_replayed: false, canceled };
}

/** In the first transaction of the call: a repeated request does not cancel again. */
async function cancelBy(tx: Ctx & InTransaction, request: PrefixSendRequest, send_id: string): Promise<number> {
  const { project_id, prefix, environment_id, sent_by, sent_by_id } = request;
  const event = { project_id, event_key: prefix, is_prefix: true, environment_id, sent_by, sent_by_id, send_id };
  return (await consumeCancelKeys(tx, event)).length;
}

async function sendPage(ctx: Ctx, request: PrefixSendRequest, send: Send, after: string): Promise<Page> {
  const { project_id, payload, sent_by, sent_by_id } = request;
  const event = {
    status: "received",
    payload,
    sent_by,
    sent_by_id,
    ...(send.id !== undefined && { send_id: send.id }),
  } as const;
  const { last, ended } = await inTransaction(ctx, async (tx) => {
    // One extra row shows whether there are more: the response to a single page does not wait for the work that the
    // page has caused.
    const found = await findByPrefix(tx, request, { started_at: send.started_at, after, max: PAGE + 1 });
    const page = found.slice(0, PAGE);
    const workflow_run_ids = page.flatMap((trigger) => trigger.workflow_run_id ?? []);
    if (workflow_run_ids.length > 0) await lockRunsOfSteps(tx, project_id, workflow_run_ids);
    const keys = page.map(({ id }) => ({ project_id, trigger_id: id }));
    const last = found.length > PAGE ? page.at(-1)?.event_key : undefined;
    return { last, ended: await resolveTriggers(tx, keys, event) };
  });
  const triggers = ended.map(({ generation: _, ...trigger }) => trigger);
  return { triggers, last };
}

/** Everything sent under one key, by any number of calls. */
async function readSent(ctx: Ctx, project_id: string, send_id: string) {
  const { rows: counted } = await sql<{ resolved: number }>`
    select count(*)::int as resolved from event_triggers
    where project_id = ${project_id} and send_id = ${send_id} and send_id is not null`.execute(ctx.db);
  const { rows: triggers } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${project_id} and t.send_id = ${send_id} and t.send_id is not null
    order by t.event_key limit ${MAX_SHOWN}`.execute(ctx.db);
  return { resolved: counted[0]?.resolved ?? 0, triggers };
}

/** In the database's order: by code points. */
function byKey(a: TriggerRow, b: TriggerRow): number {
  return Buffer.compare(Buffer.from(a.event_key), Buffer.from(b.event_key));
}

/** The scope of a prefix: the whole project, or one environment. */
type Prefix = { project_id: string; prefix: string; environment_id?: string | null | undefined };

type PrefixCandidate = { id: string; event_key: string; workflow_run_id: string | null };

/** The waits that existed when the call began, in order of their keys. A range of the index of waiting keys. */
export async function findByPrefix(
  ctx: Ctx,
  prefix: Prefix,
  { started_at, after, max }: { started_at: string; after: string; max: number },
): Promise<PrefixCandidate[]> {
  const { rows } = await sql<PrefixCandidate>`
    select t.id, t.event_key, t.workflow_run_id from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)} and t.event_key > ${after}
      and t.created_at <= ${started_at}::timestamptz
    order by t.event_key limit ${max}`.execute(ctx.db);
  return rows;
}

/** Of `event_triggers t`; the statement itself adds the project. */
function waitingWith({ prefix, environment_id }: Prefix): Sql {
  const { start, end } = prefixRange(prefix);
  return sql`t.status = 'waiting' and t.wait_kind = 'event'
    and t.event_key >= ${start} ${end === null ? sql`` : sql`and t.event_key < ${end}`}
    ${environment_id == null ? sql`` : sql`and t.environment_id = ${environment_id}`}`;
}

/** The receivers of an event sent to the prefix now: how many, and the first hundred by key. */
export async function previewPrefix(ctx: Ctx, prefix: Prefix): Promise<Omit<PrefixSent, "is_replayed">> {
  const { rows: counted } = await sql<{ resolved: number }>`
    select count(*)::int as resolved from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)}`.execute(ctx.db);
  const { rows: triggers } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${prefix.project_id} and ${waitingWith(prefix)}
    order by t.event_key limit ${MAX_SHOWN}`.execute(ctx.db);
  const canceled = await countCanceled(ctx, { ...prefix, event_key: prefix.prefix, is_prefix: true });
  return { resolved: counted[0]?.resolved ?? 0, canceled, triggers };
}

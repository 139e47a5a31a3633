import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import { lockStepRuns } from "../../workflows/progress/end-waiting-steps.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../read-trigger.ts";
import { resolveTriggers } from "../resolve/resolve-trigger.ts";
import { findByPrefix, type Prefix } from "./find-prefix.ts";
import { takeSendKey } from "./send-key.ts";
import type { Sender } from "./sender.ts";
import { takeCancelKeys } from "./take-cancel-keys.ts";

export type PrefixOrder = Prefix &
  Sender & {
    payload: unknown;
    /** A repeated request with the same key sends what is left and returns the whole result. */
    idempotency_key?: string | undefined;
  };

/** `triggers` are the first hundred, by key. */
export type PrefixSent = { resolved: number; canceled: number; triggers: TriggerRow[]; is_replayed: boolean };

type Send = { id: string | undefined; started_at: string; is_replayed: boolean; canceled: number };
type Page = { triggers: TriggerRow[]; last: string | undefined };

const PAGE = 500;
const MAX_SHOWN = 100;

/**
 * Sends an event to all waits for a key with the prefix, a page in each transaction, and returns after the last. Waits
 * opened after the call began are excluded. Neither buffers nor takes buffered events.
 */
export async function sendPrefix(ctx: Ctx, order: PrefixOrder): Promise<PrefixSent> {
  const send = await inTransaction(ctx, (tx) => beginSend(tx, order));
  const { canceled } = send;
  const shown: TriggerRow[] = [];
  let resolved = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { triggers, last }: Page = await sendPage(ctx, order, send, after);
    resolved += triggers.length;
    if (shown.length < MAX_SHOWN) shown.push(...triggers.toSorted(byKey).slice(0, MAX_SHOWN - shown.length));
    after = last;
  }
  if (send.id === undefined) return { resolved, canceled, triggers: shown, is_replayed: false };
  return { ...(await readSent(ctx, order.project_id, send.id)), canceled, is_replayed: send.is_replayed };
}

async function beginSend(tx: Ctx & InTransaction, order: PrefixOrder): Promise<Send> {
  const { project_id, prefix, payload, idempotency_key } = order;
  if (idempotency_key !== undefined) {
    const key = { project_id, target: `prefix:${prefix}`, key: idempotency_key, content: { payload } };
    const { id, started_at, is_first } = await takeSendKey(tx, key, newId());
    return { id, started_at, is_replayed: !is_first, canceled: is_first ? await cancelBy(tx, order, id) : 0 };
  }
  const { rows } = await sql<{ now: string }>`select clock()::timestamptz(3) as now`.execute(tx.db);
  const canceled = await cancelBy(tx, order, newId());
  return { id: undefined, started_at: rows[0]?.now ?? "", is_replayed: false, canceled };
}

/** In the first transaction of the call: a repeated request does not cancel again. */
async function cancelBy(tx: Ctx & InTransaction, order: PrefixOrder, send_id: string): Promise<number> {
  const { project_id, prefix, environment_id, sent_by, sent_by_id } = order;
  const event = { project_id, event_key: prefix, is_prefix: true, environment_id, sent_by, sent_by_id, send_id };
  return (await takeCancelKeys(tx, event)).length;
}

async function sendPage(ctx: Ctx, order: PrefixOrder, send: Send, after: string): Promise<Page> {
  const { project_id, payload, sent_by, sent_by_id } = order;
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
    const found = await findByPrefix(tx, order, { started_at: send.started_at, after, max: PAGE + 1 });
    const page = found.slice(0, PAGE);
    const workflow_run_ids = page.flatMap((trigger) => trigger.workflow_run_id ?? []);
    if (workflow_run_ids.length > 0) await lockStepRuns(tx, project_id, workflow_run_ids);
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

import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { derivedId } from "../derived-id.ts";
import { newId } from "../ids.ts";
import { yieldToEventLoop } from "../time-slices.ts";
import { evaluateFilter } from "./evaluate-filter.ts";
import { type DeliveryRow, insertDeliveries } from "./insert-deliveries.ts";
import { readSubscribers, type Subscriber, type Subscribers, subscribersOf } from "./read-subscribers.ts";

/** An event as subscribers receive it. */
export type SubscriberEvent = {
  project_id: string;
  /** Null: none. Only subscribers to all environments are notified. */
  environment_id: string | null;
  /** `run.failed`, `budget.exceeded`: the part before the dot is the kind. */
  type: string;
  /** Derived from the event (`derivedId`) if it could be published twice. Absent: it is published once. */
  id?: string;
  /** Absent: now. */
  created_at?: string;
  /** The object of the event, for the list of deliveries. */
  source_type: string;
  source_id: string;
  data: unknown;
  /** The exact transition; `data` may be newer. */
  transition?: object;
};

/**
 * Queues the deliveries of events, in the transaction of the change. For a project without subscriptions it costs one
 * index lookup. Returns how many deliveries were queued.
 */
export async function notifySubscribers(
  tx: Ctx & InTransaction,
  events: readonly SubscriberEvent[],
  known?: Subscribers,
): Promise<number> {
  if (events.length === 0) return 0;
  const subscribers =
    known ??
    (await readSubscribers(
      tx,
      events.map((event) => event.project_id),
    ));
  if (subscribers.size === 0) return 0;
  const now = await readClock(tx);
  const errors = new Map<Subscriber, FilterErrors>();
  const rows: DeliveryRow[] = [];
  for (const event of events) {
    rows.push(...(await expand(event, subscribersOf(subscribers, event), now, errors)));
  }
  await insertDeliveries(tx, rows);
  await countErrors(tx, errors);
  return rows.length;
}

const MAX_ERROR_LENGTH = 500;

type FilterErrors = { count: number; last: string };

/** One delivery per subscriber; all of them have the same body. */
async function expand(
  event: SubscriberEvent,
  candidates: readonly Subscriber[],
  now: string,
  errors: Map<Subscriber, FilterErrors>,
): Promise<DeliveryRow[]> {
  if (candidates.length === 0) return [];
  const { project_id, environment_id, type, source_type, source_id, transition } = event;
  const id = event.id ?? newId();
  const message = {
    type,
    id,
    created_at: event.created_at ?? now,
    data: event.data,
    ...(transition && { transition }),
  };
  const body = JSON.stringify(message);
  const shared = { project_id, environment_id, source_type, source_id, body, event_type: type, event_id: id };
  const rows: DeliveryRow[] = [];
  for (const each of candidates) {
    await yieldToEventLoop();
    const verdict = evaluateFilter(each.filter, message);
    if (verdict.kind === "error") {
      errors.set(each, { count: (errors.get(each)?.count ?? 0) + 1, last: verdict.message });
    }
    if (verdict.kind !== "matched") continue;
    rows.push({ ...shared, id: derivedId("delivery", each.id, id), subscription_id: each.id, url: each.url });
  }
  return rows;
}

async function readClock(tx: Ctx): Promise<string> {
  const { rows } = await sql<{ now: string }>`/* prepared */ select clock()::timestamptz(3) as now`.execute(tx.db);
  return rows[0]?.now ?? "";
}

/** In the order of their ids, so that concurrent counters cannot deadlock. */
async function countErrors(tx: Ctx & InTransaction, errors: ReadonlyMap<Subscriber, FilterErrors>): Promise<void> {
  const sorted = [...errors].sort(([a], [b]) => (a.id < b.id ? -1 : 1));
  for (const [{ project_id, id }, { count, last }] of sorted) {
    await sql`
      update webhook_subscriptions set filter_errors = filter_errors + ${count}, last_filter_error = ${last.slice(0, MAX_ERROR_LENGTH)},
        last_filter_error_at = clock()
      where project_id = ${project_id} and id = ${id}`.execute(tx.db);
  }
}

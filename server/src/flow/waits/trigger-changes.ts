import type { Ctx, InTransaction } from "../../platform/context.ts";
import { afterCommit } from "../../platform/database/after-commit.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { derivedId } from "../../platform/derived-id.ts";
import type { OutboxEntry } from "../../platform/outbox/enqueue-outbox.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { notifySubscribers } from "../../platform/webhooks/notify-subscribers.ts";
import { type NewDelivery, queueDeliveries } from "../../platform/webhooks/queue-deliveries.ts";
import type { TriggerStatus } from "../runs/states.ts";
import type { WaitKind } from "./event-keys.ts";
import { findTrigger, readApprovalMessages, type TriggerRow } from "./find-trigger.ts";

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
export async function updateTriggerCounts(tx: Ctx & InTransaction, changes: readonly TriggerChange[]): Promise<void> {
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

export type TriggerKey = { project_id: string; trigger_id: string };

export const EVENT_TRIGGER_TOPIC = "event-trigger";

/** Triggers that began to wait or changed their status: notifies the streams that show them after the commit. */
export function notifyTriggers(ctx: Ctx, keys: readonly TriggerKey[]): void {
  for (const { project_id, trigger_id } of keys) wake(ctx, EVENT_TRIGGER_TOPIC, `${project_id}:${trigger_id}`);
}

/** The metrics of created triggers, after the commit. `received`: how many were resolved by a buffered event at once. */
export function countCreatedTriggers(
  ctx: Ctx,
  created: readonly { project_id: string; source_type: string }[],
  received: number,
): void {
  afterCommit(ctx, ({ metrics }) => {
    for (const { source_type, project_id } of created) {
      metrics.eventTriggersCreated.inc({ source_type, project_id: metrics.projectLabel(project_id) });
    }
    if (received > 0) metrics.eventTriggersReceived.inc(received);
  });
}

/** The metrics of ended triggers, after the commit. `received`: resolved by an event. */
export function countEndedTriggers(ctx: Ctx, { received, timed_out }: { received: number; timed_out: number }): void {
  afterCommit(ctx, ({ metrics }) => {
    if (received > 0) metrics.eventTriggersReceived.inc(received);
    if (timed_out > 0) metrics.eventTriggersTimedOut.inc(timed_out);
  });
}

/** Size of the bodies written by one statement: many triggers may have received the same large payload. */
const MAX_BYTES = 8_388_608;

/** Queues the webhooks of triggers that received their event. */
export async function notifyReceived(tx: Ctx & InTransaction, triggers: readonly TriggerRow[]): Promise<void> {
  const notified = triggers.flatMap(({ notify_url, ...trigger }) =>
    notify_url === null ? [] : [{ notify_url, trigger }],
  );
  const [first] = notified;
  if (!first) return;
  const perStatement = Math.max(1, Math.floor(MAX_BYTES / JSON.stringify(first.trigger).length));
  for (let at = 0; at < notified.length; at += perStatement) {
    await queueDeliveries(
      tx,
      notified.slice(at, at + perStatement).map(({ notify_url, trigger }) => deliveryOf(notify_url, trigger)),
    );
  }
}

function deliveryOf(url: string, trigger: Omit<TriggerRow, "notify_url"> & { generation?: unknown }): NewDelivery {
  const { generation: _, ...shown } = trigger;
  return {
    project_id: trigger.project_id,
    environment_id: trigger.environment_id,
    url,
    event_type: "event_trigger.received",
    source_type: "event_trigger",
    source_id: trigger.id,
    data: { ...shown, message: null, notify_url: url, callback_url: null },
  };
}

/** Sleeps and awaited children are not events: they can be neither sent nor approved. */
const PUBLISHED_KINDS = sql`('event', 'approval')`;
const SUBSCRIBED = sql`'{*,event_trigger.*,event_trigger.created,event_trigger.received,event_trigger.timed_out,event_trigger.canceled}'::text[]`;

/**
 * Enqueues notifications for subscribers of triggers that were created or ended, in the same statement: `from` has
 * their rows. Without a subscription nothing is written, and each trigger costs one lookup in a small index: with
 * `exists` the planner would read those of all projects first.
 */
export function triggerOutbox(from: Sql, happened: Sql): Sql {
  return sql`wanted as materialized (
    select f.project_id, f.id, h.happened from ${from} f, unnest(${happened}) as h(happened)
    where f.wait_kind in ${PUBLISHED_KINDS} and coalesce((
      select true from webhook_subscriptions s
      where s.project_id = f.project_id and s.enabled and s.events && ${SUBSCRIBED} limit 1
    ), false)
  ),
  notified as (
    insert into outbox (project_id, transition_id, kind, target_id, created_at)
    select project_id, id || ':' || happened, 'publish_event_trigger', id::text, clock() from wanted
    on conflict (project_id, transition_id, kind, target_id) do nothing
  )`;
}

/** Publishes a change of a trigger to subscribers. A deleted one is not published. */
export async function publishTrigger(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, transition_id, target_id } = entry;
  const trigger = await findTrigger(tx, project_id, target_id);
  if (!trigger) return;
  const messages = await readApprovalMessages(tx, project_id, [trigger]);
  const happened = transition_id.slice(transition_id.lastIndexOf(":") + 1);
  await notifySubscribers(tx, [
    {
      project_id,
      environment_id: trigger.environment_id,
      type: `event_trigger.${happened}`,
      id: derivedId("event_trigger", trigger.id, happened),
      created_at: (happened === "created" ? trigger.created_at : trigger.finished_at) ?? trigger.updated_at,
      source_type: "event_trigger",
      source_id: trigger.id,
      data: { ...trigger, callback_url: null, message: messages.get(trigger.id) ?? null },
    },
  ]);
}

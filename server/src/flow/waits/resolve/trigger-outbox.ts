import { type RawBuilder, sql } from "kysely";

/** Sleeps and awaited children are not events: they can be neither sent nor approved. */
const PUBLISHED_KINDS = sql`('event', 'approval')`;
const SUBSCRIBED = sql`'{*,event_trigger.*,event_trigger.created,event_trigger.received,event_trigger.timed_out,event_trigger.canceled}'::text[]`;

/**
 * Enqueues notifications for subscribers of triggers that were created or ended, in the same statement: `from` has
 * their rows. Without a subscription nothing is written, and each trigger costs one lookup in a small index: with
 * `exists` the planner would read those of all projects first.
 */
export function triggerOutbox(from: RawBuilder<unknown>, happened: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`notified as (
    insert into outbox (project_id, transition_id, kind, target_id, created_at)
    select f.project_id, f.id || ':' || h.happened, 'publish_event_trigger', f.id::text, clock()
    from ${from} f, unnest(${happened}) as h(happened)
    where f.wait_kind in ${PUBLISHED_KINDS} and coalesce((
      select true from webhook_subscriptions s
      where s.project_id = f.project_id and s.enabled and s.events && ${SUBSCRIBED} limit 1
    ), false)
    on conflict (project_id, transition_id, kind, target_id) do nothing
  )`;
}

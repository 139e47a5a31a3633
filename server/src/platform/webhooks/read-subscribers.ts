import type { Ctx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { groupBy } from "../group-by.ts";

/** A subscriber, and the events it wants. */
export type Subscriber = {
  project_id: string;
  id: string;
  environment_id: string | null;
  url: string;
  events: string[];
  filter: string | null;
  created_at: string;
};

export type Subscribers = ReadonlyMap<string, Subscriber[]>;

/** The subscribers of these projects, by project. Most projects have none. */
export async function readSubscribers(ctx: Ctx, project_ids: readonly string[]): Promise<Subscribers> {
  const { rows } = await sql<Subscriber>`
    /* prepared */
    select s.project_id, s.id, s.environment_id, s.url, s.events, s.filter, s.created_at
    from webhook_subscriptions s
    where s.enabled and s.project_id = any(${[...new Set(project_ids)]}::uuid[])`.execute(ctx.db);
  return groupBy(rows, (row) => row.project_id);
}

/** The event to match. The subscription's filter decides as well. */
type PublishedEvent = {
  project_id: string;
  type: string;
  /** Undefined: not known yet, so any. */
  environment_id?: string | null;
  /** Undefined: now. */
  created_at?: string | undefined;
};

/**
 * The subscriptions to events of this type and environment. Events from before a subscription's creation are not
 * delivered to it.
 */
export function subscribersOf(subscribers: Subscribers, event: PublishedEvent): Subscriber[] {
  const { type, environment_id, created_at } = event;
  const kind = `${type.slice(0, type.indexOf("."))}.*`;
  return (subscribers.get(event.project_id) ?? []).filter(
    (each) =>
      each.events.some((wanted) => wanted === type || wanted === kind || wanted === "*") &&
      (environment_id === undefined || each.environment_id === null || each.environment_id === environment_id) &&
      (created_at === undefined || each.created_at <= created_at),
  );
}

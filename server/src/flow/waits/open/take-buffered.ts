import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { EventKey } from "../send/lock-event-keys.ts";
import type { Sender } from "../send/sender.ts";

/** An event that arrived before its wait. */
export type TakenEvent = EventKey & Sender & { payload: unknown };

/** Takes the first buffered event of each of these keys, if there is one. Call it under the locks of the keys. */
export async function takeBuffered(tx: Ctx & InTransaction, keys: readonly EventKey[]): Promise<TakenEvent[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<TakenEvent>`
    with first as materialized (
      select b.project_id, b.id
      from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.event_key)}::text[])
        as g(project_id, event_key), lateral (
        select b.project_id, b.id from buffered_events b
        where b.project_id = g.project_id and b.event_key = g.event_key and b.expires_at > clock()
        order by b.created_at, b.id limit 1
      ) b
    )
    delete from buffered_events b using first f where b.project_id = f.project_id and b.id = f.id
    returning b.project_id, b.event_key, b.payload, b.sent_by, b.sent_by_id`.execute(tx.db);
  return rows;
}

import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { newId } from "../../platform/ids.ts";
import { lockKeys } from "../lock-keys.ts";
import type { EventKey } from "./event-keys.ts";
import type { Sender } from "./find-trigger.ts";

type BufferedEvent = { id: string; expires_at: string };
type NewEvent = EventKey & Sender & { payload: unknown; buffer_secs: number };

const MAX_PER_KEY = 100;
const MAX_PER_PROJECT = 10_000;

/**
 * Buffers an event for the next wait on its key. Call it under the lock of the key, if there is no wait. Returns a
 * string, the reason, if it is not buffered. Events of a key keep their order of arrival, however close.
 */
export async function bufferEvent(tx: Ctx & InTransaction, event: NewEvent): Promise<BufferedEvent | string> {
  const full = await findBufferLimit(tx, event);
  if (full !== undefined) return full;
  const { project_id, event_key, payload, sent_by, sent_by_id = null, buffer_secs } = event;
  const { rows } = await sql<BufferedEvent>`
    insert into buffered_events (project_id, id, event_key, payload, sent_by, sent_by_id, expires_at, created_at)
    select ${project_id}, ${newId()}, ${event_key}, ${JSON.stringify(payload)}::jsonb, ${sent_by}, ${sent_by_id},
      clock() + ${buffer_secs} * interval '1 second', greatest(clock(), max(created_at) + interval '1 millisecond')
    from buffered_events where project_id = ${project_id} and event_key = ${event_key}
    returning id, expires_at`.execute(tx.db);
  return rows[0] as BufferedEvent;
}

/** Buffering is serialized per project: the count is then exact. */
async function findBufferLimit(
  tx: Ctx & InTransaction,
  { project_id, event_key }: EventKey,
): Promise<string | undefined> {
  await lockKeys(tx, [`buffer:${project_id}`]);
  const { rows } = await sql<{ of_key: number; of_project: number }>`
    select (count(*) filter (where event_key = ${event_key}))::int as of_key, count(*)::int as of_project
    from (
      select event_key from buffered_events where project_id = ${project_id} and expires_at > clock()
      limit ${MAX_PER_PROJECT}
    ) kept`.execute(tx.db);
  const { of_key = 0, of_project = 0 } = rows[0] ?? {};
  if (of_project >= MAX_PER_PROJECT) return `The project has ${MAX_PER_PROJECT} buffered events, the maximum.`;
  if (of_key >= MAX_PER_KEY) return `The key has ${MAX_PER_KEY} buffered events, the maximum.`;
  return undefined;
}

/** An event that arrived before its wait. */
type TakenEvent = EventKey & Sender & { payload: unknown };

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

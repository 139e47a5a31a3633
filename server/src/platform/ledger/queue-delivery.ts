import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { newId } from "../ids.ts";

export type NewDelivery = {
  project_id: string;
  url: string;
  event_type: string;
  /** What the delivery is about, for the delivery list. */
  source_type: string;
  source_id: string;
  data: unknown;
};

/**
 * Puts a webhook into the outbox, in the transaction of what it tells. Its body is fixed here, once: every attempt
 * sends and signs the same bytes under the same id.
 */
export async function queueDelivery(ctx: Ctx & InTransaction, delivery: NewDelivery): Promise<string> {
  const id = newId();
  const { rows } = await sql<{ now: string }>`select clock()::timestamptz(3) as now`.execute(ctx.db);
  const body = JSON.stringify({ type: delivery.event_type, id, created_at: rows[0]?.now, data: delivery.data });
  await sql`
    insert into webhook_deliveries (
      project_id, id, url, event_type, body, source_type, source_id, status, next_attempt_at, created_at, updated_at)
    values (
      ${delivery.project_id}, ${id}, ${delivery.url}, ${delivery.event_type}, ${body}, ${delivery.source_type},
      ${delivery.source_id}, 'pending', ${rows[0]?.now}, ${rows[0]?.now}, ${rows[0]?.now})
  `.execute(ctx.db);
  return id;
}

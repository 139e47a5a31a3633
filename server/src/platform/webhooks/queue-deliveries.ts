import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { insertDeliveries } from "./insert-deliveries.ts";

export type NewDelivery = {
  project_id: string;
  /** The environment of the change: keys bound to another one do not see the delivery. Absent: none. */
  environment_id?: string | null;
  url: string;
  event_type: string;
  /** The object of the delivery, for the delivery list. */
  source_type: string;
  source_id: string;
  data: unknown;
};

/**
 * Queues webhooks, in the transaction of the change they report. Each body is fixed here, once: every attempt sends and
 * signs the same bytes under the same id. Returns their ids, in order.
 */
export async function queueDeliveries(ctx: Ctx & InTransaction, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<{ now: string }>`select clock()::timestamptz(3) as now`.execute(ctx.db);
  const created_at = rows[0]?.now;
  const queued = deliveries.map(({ data, environment_id = null, ...delivery }) => {
    const id = newId();
    const body = JSON.stringify({ type: delivery.event_type, id, created_at, data });
    return { ...delivery, id, environment_id, body, subscription_id: null, event_id: null };
  });
  await insertDeliveries(ctx, queued);
  return queued.map(({ id }) => id);
}

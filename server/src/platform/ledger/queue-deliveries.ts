import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { newId } from "../ids.ts";

export type NewDelivery = {
  project_id: string;
  /** Where it happened: keys bound to another environment do not see the delivery. Absent: in none. */
  environment_id?: string | null;
  url: string;
  event_type: string;
  /** What the delivery is about, for the delivery list. */
  source_type: string;
  source_id: string;
  data: unknown;
};

/**
 * Puts webhooks into the outbox, in the transaction of what they tell. Each body is fixed here, once: every attempt
 * sends and signs the same bytes under the same id. Answers their ids, in order. After the commit: wake "deliveries".
 */
export async function queueDeliveries(ctx: Ctx & InTransaction, deliveries: readonly NewDelivery[]): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<{ now: string }>`select clock()::timestamptz(3) as now`.execute(ctx.db);
  const created_at = rows[0]?.now;
  const ids = deliveries.map(() => newId());
  const column = <T>(read: (delivery: NewDelivery) => T) => deliveries.map(read);
  const bodies = deliveries.map(({ event_type, data }, index) =>
    JSON.stringify({ type: event_type, id: ids[index], created_at, data }),
  );
  await sql`
    insert into webhook_deliveries (
      project_id, id, environment_id, url, host, event_type, body, source_type, source_id, status, next_attempt_at,
      created_at, updated_at)
    select d.*, 'pending', ${created_at}::timestamptz, ${created_at}::timestamptz, ${created_at}::timestamptz
    from unnest(
      ${column((each) => each.project_id)}::uuid[], ${ids}::uuid[], ${column((each) => each.environment_id ?? null)}::uuid[],
      ${column((each) => each.url)}::text[], ${column((each) => hostOf(each.url))}::text[],
      ${column((each) => each.event_type)}::text[], ${bodies}::text[], ${column((each) => each.source_type)}::text[],
      ${column((each) => each.source_id)}::text[]) as d`.execute(ctx.db);
  return ids;
}

/** What is no URL is refused when it is sent; here it must not undo the change that it tells of. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

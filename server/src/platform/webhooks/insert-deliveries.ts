import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { wake } from "../wakeups/wake.ts";

export type DeliveryRow = {
  project_id: string;
  id: string;
  environment_id: string | null;
  subscription_id: string | null;
  /** The alert channel it is sent to. Absent: none. */
  channel_id?: string | null;
  /** Null: the delivery's own id. */
  event_id: string | null;
  url: string;
  event_type: string;
  source_type: string;
  source_id: string;
  body: string;
};

/** Limit for the bodies written by one statement. */
const MAX_BYTES = 8_388_608;

/** Inserts deliveries, due at once; they are sent after the commit. An existing one stays unchanged. */
export async function insertDeliveries(ctx: Ctx & InTransaction, rows: readonly DeliveryRow[]): Promise<void> {
  let part: DeliveryRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (bytes + row.body.length > MAX_BYTES && part.length > 0) {
      await insertPart(ctx, part);
      part = [];
      bytes = 0;
    }
    part.push(row);
    bytes += row.body.length;
  }
  if (part.length > 0) await insertPart(ctx, part);
  if (rows.length > 0) wake(ctx, "deliveries");
}

async function insertPart(ctx: Ctx & InTransaction, rows: readonly DeliveryRow[]): Promise<void> {
  const column = <T>(read: (row: DeliveryRow) => T) => rows.map(read);
  await sql`
    /* prepared */
    with inserted as (
      insert into webhook_deliveries (
        project_id, id, environment_id, subscription_id, channel_id, event_id, url, host, event_type, body, source_type, source_id,
        status, next_attempt_at, created_at, updated_at)
      select d.*, 'pending', clock(), clock(), clock()
      from unnest(
        ${column((row) => row.project_id)}::uuid[], ${column((row) => row.id)}::uuid[],
        ${column((row) => row.environment_id)}::uuid[], ${column((row) => row.subscription_id)}::uuid[],
        ${column((row) => row.channel_id ?? null)}::uuid[], ${column((row) => row.event_id)}::uuid[],
        ${column((row) => row.url)}::text[], ${column((row) => hostOf(row.url))}::text[], ${column((row) => row.event_type)}::text[],
        ${column((row) => row.body)}::text[], ${column((row) => row.source_type)}::text[],
        ${column((row) => row.source_id)}::text[]) as d
      on conflict (project_id, id) do nothing
      returning project_id, id
    ),
    ${appendStates("webhook_delivery", sql`inserted`)}
    select 1`.execute(ctx.db);
  changesAppended(ctx, "webhook_delivery");
}

/** An invalid URL is refused when it is sent; here it must not roll back the change. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

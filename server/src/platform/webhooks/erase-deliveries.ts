import { appendStates } from "../changelog/append-changes.ts";
import { changesAppended } from "../changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";

/**
 * Erases the payloads of the webhooks about these runs or triggers, and their receivers' responses. One not sent yet
 * ends as failed, rather than being delivered with altered content.
 */
export async function eraseDeliveries(
  tx: Ctx & InTransaction,
  project_id: string,
  source_ids: readonly string[],
): Promise<void> {
  await sql`
    with erased as (
      update webhook_deliveries d set body = '{}', updated_at = clock(),
        claim_token = null, next_attempt_at = null,
        prev_status = case when d.status = 'pending' then d.status else d.prev_status end,
        failed_at = case when d.status = 'pending' then clock() else d.failed_at end,
        last_error = case when d.status = 'pending' then 'data deleted' end,
        status = case when d.status = 'pending' then 'failed' else d.status end
      where d.project_id = ${project_id} and d.source_id = any(${source_ids}::text[])
      returning d.project_id, d.id
    ),
    ${appendStates("webhook_delivery", sql`erased`)}
    update webhook_attempts a set response_body = null, response_headers = null, error = null
    from erased e where a.project_id = ${project_id} and a.delivery_id = e.id`.execute(tx.db);
  changesAppended(tx, "webhook_delivery");
}

import type {
  DeliveryAttempt,
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
} from "@millrace/contract/webhook-deliveries";
import { sql } from "kysely";
import { visible } from "../../platform/access/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";
import { MAX_ATTEMPTS } from "./delivery-rules.ts";

/** While it is claimed, `next_attempt_at` is the end of the claim and says nothing of an attempt. */
const COLUMNS = sql`d.id, d.project_id, d.environment_id, d.url, d.event_type, d.source_type, d.source_id, d.status,
  d.attempts, ${MAX_ATTEMPTS}::int as max_attempts,
  case when d.claim_token is null or d.next_attempt_at <= clock() then d.next_attempt_at end as next_attempt_at,
  d.last_status_code, d.last_error, d.delivered_at, d.failed_at, d.created_at, d.updated_at`;

const MOST_SHOWN = 100;

export async function findDelivery(
  ctx: ProjectCtx,
  id: string,
): Promise<(WebhookDelivery & { body: string }) | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<WebhookDelivery & { body: string }>`
    select ${COLUMNS}, d.body from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and d.id = ${id} and ${visible(ctx, "webhook_deliveries", "d")}
  `.execute(ctx.db);
  return rows[0];
}

export async function lockDelivery(ctx: ProjectCtx & InTransaction, id: string): Promise<WebhookDelivery | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<WebhookDelivery>`
    select ${COLUMNS} from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and d.id = ${id} and ${visible(ctx, "webhook_deliveries", "d")}
    for update`.execute(ctx.db);
  return rows[0];
}

export async function listDeliveries(
  ctx: ProjectCtx,
  page: Page,
  { status }: ListWebhookDeliveriesQuery,
): Promise<WebhookDelivery[]> {
  const { rows } = await sql<WebhookDelivery>`
    select ${COLUMNS} from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and ${visible(ctx, "webhook_deliveries", "d")}
      ${status === undefined ? sql`` : sql`and d.status = ${status}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export async function listAttempts(ctx: ProjectCtx, delivery_id: string): Promise<DeliveryAttempt[]> {
  const { rows } = await sql<DeliveryAttempt>`
    select a.attempt, a.status_code, a.error, a.duration_ms, a.started_at, a.finished_at from webhook_attempts a
    where a.project_id = ${ctx.project_id} and a.delivery_id = ${delivery_id}
    order by a.started_at desc, a.attempt desc limit ${MOST_SHOWN}`.execute(ctx.db);
  return rows.reverse();
}

/** From its beginning: all attempts are before it again, the first at once. Undefined: it has not failed. */
export async function resetDelivery(ctx: ProjectCtx & InTransaction, id: string): Promise<WebhookDelivery | undefined> {
  const { rows } = await sql<WebhookDelivery>`
    update webhook_deliveries d set prev_status = d.status, status = 'pending', attempts = 0,
      next_attempt_at = clock(), failed_at = null, updated_at = clock()
    where d.project_id = ${ctx.project_id} and d.id = ${id} and d.status = 'failed'
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

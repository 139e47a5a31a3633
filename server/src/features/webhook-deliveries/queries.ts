import type {
  DeliveryAttempt,
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
} from "@millrace/contract/deliveries/webhook-deliveries";
import { environmentNamed } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { appendStates } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";
import { MAX_ATTEMPTS } from "./delivery-rules.ts";

/** While a delivery is claimed, `next_attempt_at` is the end of the claim, not the time of an attempt. */
const COLUMNS = sql`d.id, d.project_id, d.environment_id, d.subscription_id, coalesce(d.event_id, d.id) as event_id, d.url, d.event_type, d.source_type, d.source_id, d.status,
  d.attempts, ${MAX_ATTEMPTS}::int as max_attempts,
  case when d.claim_token is null or d.next_attempt_at <= clock() then d.next_attempt_at end as next_attempt_at,
  d.last_status_code, d.last_error, d.delivered_at, d.failed_at, d.created_at, d.updated_at`;

const MAX_SHOWN = 100;

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

/** Returns the existing ones, locked in id order. */
export async function lockDeliveries(
  ctx: ProjectCtx & InTransaction,
  ids: readonly string[],
): Promise<WebhookDelivery[]> {
  const { rows } = await sql<WebhookDelivery>`
    select ${COLUMNS} from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and d.id = any(${ids.filter(isId)}::uuid[])
      and ${visible(ctx, "webhook_deliveries", "d")}
    order by d.id for update`.execute(ctx.db);
  return rows;
}

export async function listDeliveries(
  ctx: ProjectCtx,
  page: Page,
  filter: ListWebhookDeliveriesQuery,
): Promise<WebhookDelivery[]> {
  const { rows } = await sql<WebhookDelivery>`
    select ${COLUMNS} from webhook_deliveries d
    where d.project_id = ${ctx.project_id} and ${visible(ctx, "webhook_deliveries", "d")}
      ${wanted(ctx, filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export type DeliveryFilter = Omit<ListWebhookDeliveriesQuery, "limit" | "cursor" | "order"> & { url?: string };

/** Conditions on `webhook_deliveries d`. */
export function wanted(ctx: ProjectCtx, filter: DeliveryFilter): Sql {
  const { status, subscription_id, event_type, host, url, environment_id, from, to } = filter;
  const conditions = [
    status !== undefined && sql`and d.status = ${status}`,
    subscription_id !== undefined && sql`and d.subscription_id = ${subscription_id}`,
    event_type !== undefined && sql`and d.event_type = ${event_type}`,
    url !== undefined && sql`and d.url = ${url}`,
    host !== undefined && sql`and d.host = ${host.toLowerCase()}`,
    environment_id !== undefined && ofEnvironmentOrNone(ctx, environment_id),
    from !== undefined && sql`and d.created_at >= ${from}::timestamptz`,
    to !== undefined && sql`and d.created_at < ${to}::timestamptz`,
  ];
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

/** Failed deliveries about the whole project, such as alerts, count in each of its environments. */
function ofEnvironmentOrNone(ctx: ProjectCtx, ref: string): Sql {
  return sql`and (d.environment_id is null or d.environment_id in (
    select e.id from environments e where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)}))`;
}

export async function listAttempts(ctx: ProjectCtx, delivery_id: string): Promise<DeliveryAttempt[]> {
  const { rows } = await sql<DeliveryAttempt>`
    select a.attempt, a.status_code, a.error, a.duration_ms, a.outcome, a.request_headers, a.response_headers,
      a.response_body, a.started_at, a.finished_at
    from webhook_attempts a
    where a.project_id = ${ctx.project_id} and a.delivery_id = ${delivery_id}
    order by a.started_at desc, a.attempt desc limit ${MAX_SHOWN}`.execute(ctx.db);
  return rows.reverse();
}

/** Resets failed deliveries: zero attempts, due at once. Others stay unchanged. */
export async function resetDeliveries(
  ctx: ProjectCtx & InTransaction,
  ids: readonly string[],
): Promise<WebhookDelivery[]> {
  const { rows } = await sql<WebhookDelivery>`
    with reset as (
      update webhook_deliveries d set prev_status = d.status, status = 'pending', attempts = 0,
        next_attempt_at = clock(), failed_at = null, updated_at = clock()
      where d.project_id = ${ctx.project_id} and d.id = any(${ids}::uuid[]) and d.status = 'failed'
      returning d.*
    ),
    ${appendStates("webhook_delivery", sql`reset`)}
    select ${COLUMNS} from reset d`.execute(ctx.db);
  changesAppended(ctx, "webhook_delivery");
  return rows;
}

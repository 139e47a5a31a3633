import type {
  ListWebhookSubscriptionsQuery,
  WebhookSubscription,
} from "@millrace/contract/deliveries/webhook-subscriptions";
import { environmentNamed } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { redactValues } from "../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";
import { decryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";

export type SubscriptionRow = Omit<WebhookSubscription, "$schema" | "headers"> & { headers: Buffer | null };

const COLUMNS = sql`s.id, s.project_id, s.environment_id, s.url, s.description, s.events, s.filter, s.headers,
  s.enabled, s.filter_errors::int as filter_errors, s.last_filter_error, s.last_filter_error_at, s.created_by, s.created_by_id,
  s.created_at, s.updated_at, h.consecutive_failures, h.last_delivered_at`;

/** The outcomes of its latest hundred attempted deliveries, newest first. */
const HEALTH = sql`lateral (
  select count(*) filter (where n.delivered_so_far = 0)::int as consecutive_failures,
    max(n.delivered_at) as last_delivered_at
  from (
    select d.delivered_at, count(d.delivered_at) over (order by d.created_at desc, d.id desc) as delivered_so_far
    from (
      select d.created_at, d.id, d.delivered_at from webhook_deliveries d
      where d.project_id = s.project_id and d.subscription_id = s.id
        and (d.status <> 'pending' or d.last_error is not null)
      order by d.created_at desc, d.id desc limit 100
    ) d
  ) n
) h`;

export async function findSubscription(ctx: ProjectCtx, id: string): Promise<SubscriptionRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from webhook_subscriptions s, ${HEALTH}
    where s.project_id = ${ctx.project_id} and s.id = ${id} and ${visible(ctx, "webhook_subscriptions", "s")}
  `.execute(ctx.db);
  return rows[0];
}

export async function lockSubscription(
  ctx: ProjectCtx & InTransaction,
  id: string,
): Promise<SubscriptionRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from webhook_subscriptions s, ${HEALTH}
    where s.project_id = ${ctx.project_id} and s.id = ${id} and ${visible(ctx, "webhook_subscriptions", "s")}
    for update of s`.execute(ctx.db);
  return rows[0];
}

export async function listSubscriptions(
  ctx: ProjectCtx,
  page: Page,
  { enabled }: ListWebhookSubscriptionsQuery,
): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from webhook_subscriptions s, ${HEALTH}
    where s.project_id = ${ctx.project_id} and ${visible(ctx, "webhook_subscriptions", "s")}
      ${enabled === undefined ? sql`` : sql`and s.enabled = ${enabled}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Locks the project's row until the commit, so that two concurrent inserts cannot both pass the limit. */
export async function countSubscriptions(ctx: ProjectCtx & InTransaction): Promise<number> {
  await sql`select 1 from projects where id = ${ctx.project_id} for no key update`.execute(ctx.db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_subscriptions where project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

/**
 * Returns the environment's id, given an id or slug, and locks it until the commit, so that it is not deleted
 * meanwhile.
 */
export async function holdEnvironment(ctx: ProjectCtx & InTransaction, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select e.id from environments e
    where e.project_id = ${ctx.project_id} and ${environmentNamed(ref)} and ${visible(ctx, "environments", "e")}
    for key share`.execute(ctx.db);
  return rows[0]?.id;
}

/** As it is returned and written to the audit log: only the names of its headers. */
export async function presentSubscription(ctx: Ctx, row: SubscriptionRow): Promise<WebhookSubscription> {
  return { ...row, headers: redactValues(await decryptSubscriptionHeaders(ctx, row, row.headers)) };
}

export async function getSubscription(ctx: ProjectCtx, id: string): Promise<WebhookSubscription> {
  const row = await findSubscription(ctx, id);
  if (!row) throw notFound("webhook subscription");
  return presentSubscription(ctx, row);
}

import {
  CreateWebhookSubscription,
  ListWebhookSubscriptionsQuery,
  UpdateWebhookSubscription,
  WebhookSubscription,
  WebhookSubscriptionList,
  WebhookTest,
} from "@millrace/contract/deliveries/webhook-subscriptions";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import type { Sent } from "../../platform/outgoing/sent.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { sendWebhook } from "../../platform/webhooks/send-webhook.ts";
import { decryptSubscriptionHeaders } from "../../platform/webhooks/subscription-headers.ts";
import { subscriptionIssues } from "./check-subscription.ts";
import { createSubscription } from "./create-subscription.ts";
import {
  findSubscription,
  getSubscription,
  listSubscriptions as listRows,
  lockSubscription,
  presentSubscription,
  type SubscriptionRow,
} from "./queries.ts";
import { updateSubscription } from "./update-subscription.ts";
import { deleteSubscriptionRow } from "./write-subscription.ts";

const foundBy = { table: "webhook_subscriptions", param: "webhookSubscriptionID" } as const;

export const webhookSubscriptionRoutes: Route[] = [
  projectRoute("POST /v1/webhook-subscriptions", {
    summary: "Subscribe to events",
    scope: "webhooks:write",
    body: CreateWebhookSubscription,
    semanticValidation: subscriptionIssues,
    response: WebhookSubscription,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createSubscription(ctx, body),
  }),
  projectRoute("GET /v1/webhook-subscriptions", {
    summary: "List webhook subscriptions",
    scope: "webhooks:read",
    query: ListWebhookSubscriptionsQuery,
    response: WebhookSubscriptionList,
    run: (ctx, { query }) => listSubscriptions(ctx, query),
  }),
  projectRoute("GET /v1/webhook-subscriptions/{webhookSubscriptionID}", {
    summary: "Get a webhook subscription",
    scope: "webhooks:read",
    foundBy,
    response: WebhookSubscription,
    run: (ctx, { params }) => getSubscription(ctx, params.webhookSubscriptionID),
  }),
  projectRoute("PATCH /v1/webhook-subscriptions/{webhookSubscriptionID}", {
    summary: "Update a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    body: UpdateWebhookSubscription,
    semanticValidation: subscriptionIssues,
    response: WebhookSubscription,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updateSubscription(ctx, params.webhookSubscriptionID, body),
  }),
  projectRoute("DELETE /v1/webhook-subscriptions/{webhookSubscriptionID}", {
    summary: "Delete a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    run: (ctx, { params }) => deleteSubscription(ctx, params.webhookSubscriptionID),
  }),
  projectRoute("POST /v1/webhook-subscriptions/{webhookSubscriptionID}/test", {
    summary: "Send a test event to a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    limit: "trigger",
    response: WebhookTest,
    run: (ctx, { params }) => testSubscription(ctx, params.webhookSubscriptionID),
  }),
];

/** No more events are delivered: pending deliveries fail at their next attempt. */
async function deleteSubscription(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const row = await lockSubscription(tx, id);
    if (!row) throw notFound("webhook subscription");
    await deleteSubscriptionRow(tx, id);
    await recordAudit(tx, {
      action: "webhook_subscription.deleted",
      resource_type: "webhook_subscription",
      resource_id: id,
      before: await presentSubscription(tx, row),
    });
  });
}

const TIMEOUT_MS = 10_000;

/**
 * Sends a `webhook.test` at once, signed and with the headers of every delivery, even if the subscription is disabled.
 */
async function testSubscription(ctx: ProjectCtx, id: string): Promise<WebhookTest> {
  const row = await findSubscription(ctx, id);
  if (!row) throw notFound("webhook subscription");
  const headers = await decryptSubscriptionHeaders(ctx, row, row.headers);
  const event = testEvent(ctx, row);
  const body = JSON.stringify(event);
  const webhook = { project_id: ctx.project_id, id: event.id, url: row.url, body, headers };
  const { sent, trace } = await sendWebhook(ctx, webhook, { timeout_ms: TIMEOUT_MS });
  return { ...outcomeOf(sent), duration_ms: sent.duration_ms, response_body: trace.response_body, sent: body };
}

function testEvent(ctx: ProjectCtx, { id: subscription_id, description, events }: SubscriptionRow) {
  const created_at = new Date(ctx.watch.nowMs()).toISOString();
  return { type: "webhook.test", id: newId(), created_at, data: { subscription_id, description, events } };
}

function outcomeOf(sent: Sent): Pick<WebhookTest, "delivered" | "status_code" | "error"> {
  if (sent.kind === "failed") return { delivered: false, status_code: null, error: sent.message };
  const delivered = sent.status >= 200 && sent.status < 300;
  return {
    delivered,
    status_code: sent.status,
    error: delivered ? null : `The receiver responded with ${sent.status}.`,
  };
}

export async function listSubscriptions(ctx: ProjectCtx, query: ListWebhookSubscriptionsQuery) {
  const page = readPage(ctx, "webhook-subscriptions", query, "s");
  const rows = await listRows(ctx, page, query);
  return presentPage(ctx, page, await Promise.all(rows.map((row) => presentSubscription(ctx, row))));
}

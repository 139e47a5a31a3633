import {
  BulkRetryDeliveries,
  BulkRetryDeliveriesResult,
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
} from "@millrace/contract/deliveries/webhook-deliveries";
import { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { readSpan } from "../../platform/listing/filters.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { bulkRetry } from "./bulk-retry.ts";
import { getDelivery } from "./get-delivery.ts";
import { listDeliveries as listRows } from "./queries.ts";
import { resetFailed } from "./reset-failed.ts";

const foundBy = { table: "webhook_deliveries", param: "deliveryID" } as const;

export const webhookDeliveryRoutes: Route[] = [
  projectRoute("GET /v1/webhook-deliveries", {
    summary: "List webhook deliveries",
    scope: "webhooks:read",
    query: ListWebhookDeliveriesQuery,
    response: WebhookDeliveryList,
    run: (ctx, { query }) => listDeliveries(ctx, query),
  }),
  projectRoute("GET /v1/webhook-deliveries/{deliveryID}", {
    summary: "Get a webhook delivery with its attempts",
    scope: "webhooks:read",
    foundBy,
    response: WebhookDeliveryDetail,
    run: (ctx, { params }) => getDelivery(ctx, params.deliveryID),
  }),
  projectRoute("POST /v1/webhook-deliveries/bulk-retry", {
    summary: "Retry failed webhook deliveries: up to 100 by id, or by filter in the background",
    scope: "webhooks:write",
    limit: "bulk_trigger",
    body: BulkRetryDeliveries,
    response: BulkRetryDeliveriesResult,
    otherResponses: { 202: BatchOperation },
    run: (ctx, { body }, reply) => bulkRetry(ctx, body, reply),
  }),
  projectRoute("POST /v1/webhook-deliveries/{deliveryID}/retry", {
    summary: "Retry a failed webhook delivery",
    scope: "webhooks:write",
    foundBy,
    response: WebhookDelivery,
    errors: ["delivery_not_failed"],
    run: (ctx, { params }) => retryDelivery(ctx, params.deliveryID),
  }),
];

async function listDeliveries(ctx: ProjectCtx, query: ListWebhookDeliveriesQuery) {
  const page = readPage(ctx, "webhook-deliveries", query, "d");
  return presentPage(ctx, page, await listRows(ctx, page, readSpan(query)));
}

/** Resets a failed delivery: all its attempts again, the first at once. */
async function retryDelivery(ctx: ProjectCtx, id: string): Promise<WebhookDelivery> {
  return inTransaction(ctx, async (tx) => {
    const [reset] = await resetFailed(tx, [id]);
    if (!reset) throw notFound("webhook delivery");
    if (reset.apiError) throw reset.apiError;
    const { before, after } = reset;
    await recordAudit(tx, {
      action: "webhook_delivery.retried",
      resource_type: "webhook_delivery",
      resource_id: id,
      before: { status: before.status, attempts: before.attempts },
      after: { status: after.status, attempts: after.attempts },
    });
    wake(tx, "deliveries");
    return after;
  });
}

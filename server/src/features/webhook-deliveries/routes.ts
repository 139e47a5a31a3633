import {
  BulkRetryDeliveries,
  BulkRetryDeliveriesResult,
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
} from "@millrace/contract/deliveries/webhook-deliveries";
import { BatchOperation } from "@millrace/contract/runs/batch-operations";
import { projectRoute, type Route } from "../../platform/route.ts";
import { bulkRetry } from "./bulk-retry.ts";
import { getDelivery } from "./get-delivery.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { retryDelivery } from "./retry-delivery.ts";

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

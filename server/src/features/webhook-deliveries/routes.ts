import {
  ListWebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
} from "@millrace/contract/webhook-deliveries";
import { projectRoute, type RouteRow } from "../../platform/route.ts";
import { getDelivery } from "./get-delivery.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { retryDelivery } from "./retry-delivery.ts";

const foundBy = { table: "webhook_deliveries", param: "deliveryID" } as const;

export const webhookDeliveryRoutes: RouteRow[] = [
  projectRoute({
    method: "GET",
    path: "/v1/webhook-deliveries",
    summary: "List webhook deliveries",
    scope: "webhooks:read",
    query: ListWebhookDeliveriesQuery,
    answer: WebhookDeliveryList,
    run: (ctx, { query }) => listDeliveries(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/webhook-deliveries/{deliveryID}",
    summary: "Get a webhook delivery with its attempts",
    scope: "webhooks:read",
    foundBy,
    answer: WebhookDeliveryDetail,
    run: (ctx, { params }) => getDelivery(ctx, params.deliveryID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/webhook-deliveries/{deliveryID}/retry",
    summary: "Send a failed webhook delivery again",
    scope: "webhooks:write",
    foundBy,
    answer: WebhookDelivery,
    run: (ctx, { params }) => retryDelivery(ctx, params.deliveryID),
  }),
];

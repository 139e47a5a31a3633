import {
  CreateWebhookSubscription,
  ListWebhookSubscriptionsQuery,
  UpdateWebhookSubscription,
  WebhookSubscription,
  WebhookSubscriptionList,
  WebhookTest,
} from "@millrace/contract/webhook-subscriptions";
import { projectRoute, type Route } from "../../platform/route.ts";
import { subscriptionIssues } from "./check-subscription.ts";
import { createSubscription } from "./create-subscription.ts";
import { deleteSubscription } from "./delete-subscription.ts";
import { getSubscription } from "./get-subscription.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { testSubscription } from "./test-subscription.ts";
import { updateSubscription } from "./update-subscription.ts";

const foundBy = { table: "webhook_subscriptions", param: "webhookSubscriptionID" } as const;

export const webhookSubscriptionRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/webhook-subscriptions",
    summary: "Subscribe to events",
    scope: "webhooks:write",
    body: CreateWebhookSubscription,
    semanticValidation: subscriptionIssues,
    response: WebhookSubscription,
    status: 201,
    errors: ["conflict", "grant_too_wide"],
    run: (ctx, { body }) => createSubscription(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/webhook-subscriptions",
    summary: "List webhook subscriptions",
    scope: "webhooks:read",
    query: ListWebhookSubscriptionsQuery,
    response: WebhookSubscriptionList,
    run: (ctx, { query }) => listSubscriptions(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/webhook-subscriptions/{webhookSubscriptionID}",
    summary: "Get a webhook subscription",
    scope: "webhooks:read",
    foundBy,
    response: WebhookSubscription,
    run: (ctx, { params }) => getSubscription(ctx, params.webhookSubscriptionID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/webhook-subscriptions/{webhookSubscriptionID}",
    summary: "Update a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    body: UpdateWebhookSubscription,
    semanticValidation: subscriptionIssues,
    response: WebhookSubscription,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updateSubscription(ctx, params.webhookSubscriptionID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/webhook-subscriptions/{webhookSubscriptionID}",
    summary: "Delete a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    run: (ctx, { params }) => deleteSubscription(ctx, params.webhookSubscriptionID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/webhook-subscriptions/{webhookSubscriptionID}/test",
    summary: "Send a test event to a webhook subscription",
    scope: "webhooks:write",
    foundBy,
    limit: "trigger",
    response: WebhookTest,
    run: (ctx, { params }) => testSubscription(ctx, params.webhookSubscriptionID),
  }),
];

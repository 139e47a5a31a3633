import {
  CreatedEventSource,
  CreateEventSource,
  CreateEventSubscription,
  EventSource,
  EventSourceList,
  EventSourceSecret,
  EventSubscription,
  EventSubscriptionList,
  ListEventSourcesQuery,
  ListSubscriptionsQuery,
  RotateEventSourceSecret,
  UpdateEventSource,
  UpdateEventSubscription,
} from "@millrace/contract/event-sources";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createSource } from "./create-source.ts";
import { deleteSource } from "./delete-source.ts";
import { sourceEventRoutes } from "./events/event-routes.ts";
import { getSource } from "./get-source.ts";
import { listSources } from "./list-sources.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { sourceSemanticValidation, sourceUpdateSemanticValidation } from "./source-issues.ts";
import { createSubscription } from "./subscriptions/create-subscription.ts";
import { deleteSubscription } from "./subscriptions/delete-subscription.ts";
import { getSubscription } from "./subscriptions/get-subscription.ts";
import { listSubscriptions } from "./subscriptions/list-subscriptions.ts";
import { subscriptionIssues } from "./subscriptions/subscription-issues.ts";
import { updateSubscription } from "./subscriptions/update-subscription.ts";
import { updateSource } from "./update-source.ts";

const foundBy = { table: "event_sources", param: "sourceID" } as const;

export const eventSourceRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/event-sources",
    summary: "Create an event source",
    scope: "events:write",
    body: CreateEventSource,
    semanticValidation: sourceSemanticValidation,
    response: CreatedEventSource,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createSource(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources",
    summary: "List event sources",
    scope: "events:read",
    query: ListEventSourcesQuery,
    response: EventSourceList,
    run: (ctx, { query }) => listSources(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources/{sourceID}",
    summary: "Get an event source",
    scope: "events:read",
    foundBy,
    response: EventSource,
    run: (ctx, { params }) => getSource(ctx, params.sourceID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/event-sources/{sourceID}",
    summary: "Update an event source",
    scope: "events:write",
    foundBy,
    body: UpdateEventSource,
    semanticValidation: sourceUpdateSemanticValidation,
    response: EventSource,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateSource(ctx, params.sourceID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/event-sources/{sourceID}",
    summary: "Delete an event source and its subscriptions",
    scope: "events:write",
    foundBy,
    run: (ctx, { params }) => deleteSource(ctx, params.sourceID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/event-sources/{sourceID}/secret/rotate",
    summary: "Rotate the secret of an event source",
    scope: "events:write",
    foundBy,
    body: RotateEventSourceSecret,
    response: EventSourceSecret,
    run: (ctx, { params, body }) => rotateSecret(ctx, params.sourceID, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/event-sources/{sourceID}/subscriptions",
    summary: "Subscribe a job or a workflow to an event source",
    scope: "events:write",
    foundBy,
    body: CreateEventSubscription,
    semanticValidation: subscriptionIssues,
    response: EventSubscription,
    status: 201,
    errors: ["subscription_limit"],
    run: (ctx, { params, body }) => createSubscription(ctx, params.sourceID, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources/{sourceID}/subscriptions",
    summary: "List the subscriptions of an event source",
    scope: "events:read",
    foundBy,
    query: ListSubscriptionsQuery,
    response: EventSubscriptionList,
    run: (ctx, { params, query }) => listSubscriptions(ctx, params.sourceID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}",
    summary: "Get a subscription",
    scope: "events:read",
    foundBy,
    response: EventSubscription,
    run: (ctx, { params }) => getSubscription(ctx, params.sourceID, params.subscriptionID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}",
    summary: "Update a subscription",
    scope: "events:write",
    foundBy,
    body: UpdateEventSubscription,
    semanticValidation: subscriptionIssues,
    response: EventSubscription,
    run: (ctx, { params, body }) => updateSubscription(ctx, params.sourceID, params.subscriptionID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/event-sources/{sourceID}/subscriptions/{subscriptionID}",
    summary: "Delete a subscription",
    scope: "events:write",
    foundBy,
    run: (ctx, { params }) => deleteSubscription(ctx, params.sourceID, params.subscriptionID),
  }),
  ...sourceEventRoutes,
];

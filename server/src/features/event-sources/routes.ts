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
} from "@millrace/contract/events/event-sources";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { sourceEventRoutes } from "./events/event-routes.ts";
import { findSource, listSources as listRows, presentSource } from "./queries.ts";
import { sourceSemanticValidation, sourceUpdateSemanticValidation } from "./source-issues.ts";
import { subscriptionIssues } from "./subscriptions/subscription-issues.ts";
import { getSubscription, listSubscriptions as listSubscriptionRows } from "./subscriptions/subscription-queries.ts";
import { createSubscription, deleteSubscription, updateSubscription } from "./subscriptions/write-subscription.ts";
import { createSource, deleteSource, rotateSecret, updateSource } from "./write-source.ts";

const foundBy = { table: "event_sources", param: "sourceID" } as const;

export const eventSourceRoutes: Route[] = [
  projectRoute("POST /v1/event-sources", {
    summary: "Create an event source",
    scope: "events:write",
    body: CreateEventSource,
    semanticValidation: sourceSemanticValidation,
    response: CreatedEventSource,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createSource(ctx, body),
  }),
  projectRoute("GET /v1/event-sources", {
    summary: "List event sources",
    scope: "events:read",
    query: ListEventSourcesQuery,
    response: EventSourceList,
    run: (ctx, { query }) => listSources(ctx, query),
  }),
  projectRoute("GET /v1/event-sources/{sourceID}", {
    summary: "Get an event source",
    scope: "events:read",
    foundBy,
    response: EventSource,
    run: (ctx, { params }) => getSource(ctx, params.sourceID),
  }),
  projectRoute("PATCH /v1/event-sources/{sourceID}", {
    summary: "Update an event source",
    scope: "events:write",
    foundBy,
    body: UpdateEventSource,
    semanticValidation: sourceUpdateSemanticValidation,
    response: EventSource,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateSource(ctx, params.sourceID, body),
  }),
  projectRoute("DELETE /v1/event-sources/{sourceID}", {
    summary: "Delete an event source and its subscriptions",
    scope: "events:write",
    foundBy,
    run: (ctx, { params }) => deleteSource(ctx, params.sourceID),
  }),
  projectRoute("POST /v1/event-sources/{sourceID}/secret/rotate", {
    summary: "Rotate the secret of an event source",
    scope: "events:write",
    foundBy,
    body: RotateEventSourceSecret,
    response: EventSourceSecret,
    run: (ctx, { params, body }) => rotateSecret(ctx, params.sourceID, body),
  }),
  projectRoute("POST /v1/event-sources/{sourceID}/subscriptions", {
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
  projectRoute("GET /v1/event-sources/{sourceID}/subscriptions", {
    summary: "List the subscriptions of an event source",
    scope: "events:read",
    foundBy,
    query: ListSubscriptionsQuery,
    response: EventSubscriptionList,
    run: (ctx, { params, query }) => listSubscriptions(ctx, params.sourceID, query),
  }),
  projectRoute("GET /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", {
    summary: "Get a subscription",
    scope: "events:read",
    foundBy,
    response: EventSubscription,
    run: (ctx, { params }) => getSubscription(ctx, params.sourceID, params.subscriptionID),
  }),
  projectRoute("PATCH /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", {
    summary: "Update a subscription",
    scope: "events:write",
    foundBy,
    body: UpdateEventSubscription,
    semanticValidation: subscriptionIssues,
    response: EventSubscription,
    run: (ctx, { params, body }) => updateSubscription(ctx, params.sourceID, params.subscriptionID, body),
  }),
  projectRoute("DELETE /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", {
    summary: "Delete a subscription",
    scope: "events:write",
    foundBy,
    run: (ctx, { params }) => deleteSubscription(ctx, params.sourceID, params.subscriptionID),
  }),
  ...sourceEventRoutes,
];

async function getSource(ctx: ProjectCtx, ref: string): Promise<EventSource> {
  const row = await findSource(ctx, ref);
  if (!row) throw notFound("event source");
  return presentSource(ctx, row);
}

async function listSources(ctx: ProjectCtx, query: ListEventSourcesQuery) {
  const page = readPage(ctx, "event-sources", query, "s");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page));
  return { data: data.map((row) => presentSource(ctx, row)), ...rest };
}

async function listSubscriptions(ctx: ProjectCtx, ref: string, query: ListSubscriptionsQuery) {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const page = readPage(ctx, `event-sources/${source.id}/subscriptions`, query, "s");
  return presentPage(ctx, page, await listSubscriptionRows(ctx, source.id, page));
}

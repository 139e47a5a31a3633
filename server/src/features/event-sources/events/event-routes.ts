import {
  EventTested,
  InboundReceived,
  ListSourceEventsQuery,
  SourceEvent,
  SourceEventList,
  TestEvent,
} from "@millrace/contract/source-events";
import { projectRoute, publicRoute, type Route } from "../../../platform/route.ts";
import { receiveWebhook } from "../inbound/receive-webhook.ts";
import { getEvent } from "./get-event.ts";
import { listEvents } from "./list-events.ts";
import { replayEvent } from "./replay-event.ts";
import { testEvent } from "./test-event.ts";

const foundBy = { table: "event_sources", param: "sourceID" } as const;

export const sourceEventRoutes: Route[] = [
  publicRoute({
    method: "POST",
    path: "/v1/event-sources/{sourceID}/inbound",
    summary: "Receive a signed webhook",
    signed: true,
    response: InboundReceived,
    errors: ["conflict", "event_chain_too_long", "event_source_disabled", "signature_invalid"],
    run: (ctx, { params, body, signed }) => {
      if (!signed) throw new Error("the signed request is missing");
      return receiveWebhook(ctx, params.sourceID, body, signed);
    },
  }),
  projectRoute({
    method: "POST",
    path: "/v1/event-sources/{sourceID}/test",
    summary: "Preview which subscriptions an event matches, and why",
    scope: "events:read",
    foundBy,
    body: TestEvent,
    response: EventTested,
    run: (ctx, { params, body }) => testEvent(ctx, params.sourceID, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources/{sourceID}/events",
    summary: "List the events that a source received",
    scope: "events:read",
    foundBy,
    query: ListSourceEventsQuery,
    response: SourceEventList,
    run: (ctx, { params, query }) => listEvents(ctx, params.sourceID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/event-sources/{sourceID}/events/{eventID}",
    summary: "Get an event with the result of each subscription",
    scope: "events:read",
    foundBy,
    response: SourceEvent,
    run: (ctx, { params }) => getEvent(ctx, params.sourceID, params.eventID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/event-sources/{sourceID}/events/{eventID}/replay",
    summary: "Replay an event to the current subscriptions",
    scope: "events:send",
    foundBy,
    limit: "trigger",
    response: SourceEvent,
    status: 201,
    errors: ["conflict", "event_chain_too_long", "event_source_disabled"],
    run: (ctx, { params }) => replayEvent(ctx, params.sourceID, params.eventID),
  }),
];

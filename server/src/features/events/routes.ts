import {
  BufferedEvent,
  CallbackReceived,
  EventPrefixSent,
  EventStats,
  EventsPurged,
  EventTrigger,
  EventTriggerList,
  ListEventsQuery,
  PurgeEvents,
  SendEvent,
  SendEventByCallback,
  SendEventPrefix,
} from "@millrace/contract/events";
import { ListHistoryQuery } from "@millrace/contract/runs";
import { DispatchEvent, SourceEvent } from "@millrace/contract/source-events";
import { projectRoute, publicRoute, type Route } from "../../platform/route.ts";
import { cancelTrigger } from "./cancel-trigger.ts";
import { countTriggers } from "./count-triggers.ts";
import { dispatchEvent } from "./dispatch-event.ts";
import { getTrigger } from "./get-trigger.ts";
import { listRunEvents } from "./list-run-events.ts";
import { listTriggers } from "./list-triggers.ts";
import { purgeTriggers } from "./purge-triggers.ts";
import { sendByCallback } from "./send-by-callback.ts";
import { sendToKey } from "./send-to-key.ts";
import { sendToPrefix } from "./send-to-prefix.ts";
import { streamTrigger } from "./stream-trigger.ts";

export const eventRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/events",
    summary: "List event triggers",
    scope: "events:read",
    query: ListEventsQuery,
    response: EventTriggerList,
    run: (ctx, { query }) => listTriggers(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/events",
    summary: "List the events that a run has waited for",
    scope: "events:read",
    foundBy: { table: "runs", param: "runID" },
    query: ListHistoryQuery,
    response: EventTriggerList,
    run: (ctx, { params, query }) => listRunEvents(ctx, params.runID, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/events/stats",
    summary: "Count event triggers by status",
    scope: "events:read",
    response: EventStats,
    run: (ctx) => countTriggers(ctx),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/events/purge",
    summary: "Delete event triggers that ended more than a number of days ago",
    scope: "events:write",
    body: PurgeEvents,
    response: EventsPurged,
    run: (ctx, { body }) => purgeTriggers(ctx, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/events/dispatch",
    summary: "Dispatch an event to the subscriptions of its source",
    scope: "events:send",
    limit: "trigger",
    body: DispatchEvent,
    response: SourceEvent,
    otherResponses: { 200: SourceEvent },
    status: 201,
    errors: ["conflict", "event_chain_too_long", "event_source_disabled"],
    run: (ctx, { body }, reply) => dispatchEvent(ctx, body, reply),
  }),
  publicRoute({
    method: "POST",
    path: "/v1/events/callback/{token}",
    summary: "Send an event through a callback URL",
    body: SendEventByCallback,
    response: CallbackReceived,
    errors: ["event_already_received", "event_trigger_ended"],
    run: (ctx, { params, body }) => sendByCallback(ctx, params.token, body),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/events/prefix/{prefix}/send",
    summary: "Send an event to all waiting triggers whose key starts with a prefix",
    scope: "events:send",
    body: SendEventPrefix,
    response: EventPrefixSent,
    takesIdempotencyKey: true,
    errors: ["idempotency_conflict", "invalid_event_key"],
    run: (ctx, { params, body, idempotencyKey }, reply) =>
      sendToPrefix(ctx, params.prefix, { ...body, idempotencyKey }, reply),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/events/{eventKey}",
    summary: "Get the event trigger waiting for a key, or else the newest one with that key",
    scope: "events:read",
    response: EventTrigger,
    errors: ["invalid_event_key"],
    run: (ctx, { params }) => getTrigger(ctx, params.eventKey),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/events/{eventKey}",
    summary: "Cancel a waiting event trigger",
    scope: "events:write",
    errors: ["event_trigger_ended", "invalid_event_key", "not_an_approver"],
    run: (ctx, { params }) => cancelTrigger(ctx, params.eventKey),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/events/{eventKey}/send",
    summary: "Send an event to the trigger waiting for a key",
    scope: "events:send",
    body: SendEvent,
    response: EventTrigger,
    otherResponses: { 202: BufferedEvent },
    takesIdempotencyKey: true,
    errors: [
      "event_already_received",
      "event_buffer_full",
      "event_trigger_ended",
      "idempotency_conflict",
      "invalid_event_key",
    ],
    run: (ctx, { params, body, idempotencyKey }, reply) =>
      sendToKey(ctx, params.eventKey, { ...body, idempotencyKey }, reply),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/events/{eventKey}/stream",
    summary: "Follow an event trigger to its end, as server-sent events",
    scope: "events:read",
    streams: true,
    produces: "text/event-stream",
    errors: ["invalid_event_key"],
    run: (ctx, { params }) => streamTrigger(ctx, params.eventKey),
  }),
];

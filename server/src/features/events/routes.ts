import {
  BufferedEvent,
  CallbackReceived,
  EventPrefixSent,
  EventStats,
  EventStatsQuery,
  EventsPurged,
  EventTrigger,
  EventTriggerList,
  ListEventsQuery,
  PurgeEvents,
  SendEvent,
  SendEventByCallback,
  SendEventPrefix,
} from "@millrace/contract/events/events";
import { DispatchEvent, SourceEvent } from "@millrace/contract/events/source-events";
import { ListHistoryQuery } from "@millrace/contract/runs/runs";
import { cancelTrigger as cancelWait } from "../../flow/events/cancel-trigger.ts";
import { sendToTrigger } from "../../flow/events/send-to-trigger.ts";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { readApprovalMessages } from "../../flow/waits/find-trigger.ts";
import { countPurgeable, purgeTriggers as purge } from "../../flow/waits/purge-triggers.ts";
import { approverNames } from "../../platform/access/approver-names.ts";
import { readCallbackToken } from "../../platform/access/credentials/callback-token.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { projectRoute, publicRoute, type Route } from "../../platform/route.ts";
import { dispatchEvent } from "./dispatch-event.ts";
import { listRunEvents, listTriggers } from "./list-triggers.ts";
import { countInEnvironment, countInProject, findVisibleTrigger, hasProject, presentTrigger } from "./queries.ts";
import { sendToKey, sendToPrefix } from "./send-to-key.ts";
import { streamTrigger } from "./stream-trigger.ts";

export const eventRoutes: Route[] = [
  projectRoute("GET /v1/events", {
    summary: "List event triggers",
    scope: "events:read",
    query: ListEventsQuery,
    response: EventTriggerList,
    run: (ctx, { query }) => listTriggers(ctx, query),
  }),
  projectRoute("GET /v1/runs/{runID}/events", {
    summary: "List the events that a run has waited for",
    scope: "events:read",
    foundBy: { table: "runs", param: "runID" },
    query: ListHistoryQuery,
    response: EventTriggerList,
    run: (ctx, { params, query }) => listRunEvents(ctx, params.runID, query),
  }),
  projectRoute("GET /v1/events/stats", {
    summary: "Count event triggers by status",
    scope: "events:read",
    query: EventStatsQuery,
    response: EventStats,
    run: (ctx, { query }) => countTriggers(ctx, query.environment_id),
  }),
  projectRoute("POST /v1/events/purge", {
    summary: "Delete event triggers that ended more than a number of days ago",
    scope: "events:write",
    body: PurgeEvents,
    response: EventsPurged,
    run: (ctx, { body }) => purgeTriggers(ctx, body),
  }),
  projectRoute("POST /v1/events/dispatch", {
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
  publicRoute("POST /v1/events/callback/{token}", {
    summary: "Send an event through a callback URL",
    body: SendEventByCallback,
    response: CallbackReceived,
    errors: ["event_already_received", "event_trigger_ended"],
    run: (ctx, { params, body }) => sendByCallback(ctx, params.token, body),
  }),
  projectRoute("POST /v1/events/prefix/{prefix}/send", {
    summary: "Send an event to all waiting triggers whose key starts with a prefix",
    scope: "events:send",
    body: SendEventPrefix,
    response: EventPrefixSent,
    takesIdempotencyKey: true,
    errors: ["idempotency_conflict", "invalid_event_key"],
    run: (ctx, { params, body, idempotencyKey }, reply) =>
      sendToPrefix(ctx, params.prefix, { ...body, idempotencyKey }, reply),
  }),
  projectRoute("GET /v1/events/{eventKey}", {
    summary: "Get the event trigger waiting for a key, or else the newest one with that key",
    scope: "events:read",
    response: EventTrigger,
    errors: ["invalid_event_key"],
    run: (ctx, { params }) => getTrigger(ctx, params.eventKey),
  }),
  projectRoute("DELETE /v1/events/{eventKey}", {
    summary: "Cancel a waiting event trigger",
    scope: "events:write",
    errors: ["event_trigger_ended", "invalid_event_key", "not_an_approver"],
    run: (ctx, { params }) => cancelTrigger(ctx, params.eventKey),
  }),
  projectRoute("POST /v1/events/{eventKey}/send", {
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
  projectRoute("GET /v1/events/{eventKey}/stream", {
    summary: "Follow an event trigger to its end, as server-sent events",
    scope: "events:read",
    streams: true,
    produces: "text/event-stream",
    errors: ["invalid_event_key"],
    run: (ctx, { params }) => streamTrigger(ctx, params.eventKey),
  }),
];

/** The waiting step fails and follows its on_failure; the waiting run is canceled. */
async function cancelTrigger(ctx: ProjectCtx, eventKey: string): Promise<undefined> {
  const decider = { by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const seen = await findVisibleTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
  if (!seen) throw notFound("event trigger");
  await cancelWait(ctx, { project_id: ctx.project_id, trigger_id: seen.id, ...decider }, (tx, before) =>
    recordAudit(tx, {
      action: "event_trigger.canceled",
      resource_type: "event_trigger",
      resource_id: before.id,
      before,
    }),
  );
}

/** A project has stored counts; those of one environment are counted on demand. */
function countTriggers(ctx: ProjectCtx, environment_id: string | undefined): Promise<EventStats> {
  const counted = environment_id ?? boundEnvironment(ctx.caller);
  return counted === null ? countInProject(ctx) : countInEnvironment(ctx, counted);
}

async function getTrigger(ctx: ProjectCtx, eventKey: string): Promise<EventTrigger> {
  const row = await findVisibleTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
  if (!row) throw notFound("event trigger");
  const messages = await readApprovalMessages(ctx, ctx.project_id, [row]);
  return presentTrigger(ctx, row, messages.get(row.id));
}

/** Deletes ended triggers page by page; the audit record is written with the first page. A dry run counts them. */
async function purgeTriggers(
  ctx: ProjectCtx,
  { older_than_days, dry_run = false }: PurgeEvents,
): Promise<EventsPurged> {
  const { project_id, caller } = ctx;
  const environment_id = boundEnvironment(caller);
  const order = { project_id, environment_id, older_than_days };
  if (dry_run) return { dry_run, matched: await countPurgeable(ctx, order), deleted: 0 };
  const deleted = await purge(ctx, order, (tx) =>
    recordAudit(tx, {
      action: "event_triggers.purged",
      resource_type: "project",
      resource_id: project_id,
      after: { older_than_days, environment_id },
    }),
  );
  return { dry_run, matched: deleted, deleted };
}

/** For senders without a key: the URL alone identifies the wait and authorizes the send. */
async function sendByCallback(
  ctx: Ctx,
  token: string,
  { payload = null }: SendEventByCallback,
): Promise<CallbackReceived> {
  const subject = readCallbackToken(ctx, token);
  if (!subject || !(await hasProject(ctx, subject.project_id))) throw notFound("event trigger");
  const { received_at, updated_at } = await sendToTrigger(ctx, { ...subject, payload, sent_by: "callback" });
  return { received: true, received_at: received_at ?? updated_at };
}

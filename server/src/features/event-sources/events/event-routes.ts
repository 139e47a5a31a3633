import {
  EventTested,
  InboundReceived,
  ListSourceEventsQuery,
  SourceEvent,
  SourceEventList,
  type SourceEventSummary,
  TestEvent,
} from "@millrace/contract/events/source-events";
import { payloadIssues, scopeOf } from "../../../flow/sources/admit-event.ts";
import { dispatchEvent } from "../../../flow/sources/dispatch-event.ts";
import { type EventScope, matchOne, matchSubscriptions } from "../../../flow/sources/match-subscriptions.ts";
import { prepareStarts, type Start } from "../../../flow/sources/prepare-starts.ts";
import {
  EVENT_COLUMNS,
  findSourceEvent,
  listSubscriptions,
  presentSourceEvent,
  type SourceEventRow,
} from "../../../flow/sources/source-rows.ts";
import { boundEnvironment } from "../../../platform/access/environments.ts";
import { actorOf } from "../../../platform/actor.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { type Page, presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, publicRoute, type Route } from "../../../platform/route.ts";
import { receiveWebhook } from "../inbound/receive-webhook.ts";
import { findSource, type SourceRow } from "../queries.ts";

const foundBy = { table: "event_sources", param: "sourceID" } as const;

export const sourceEventRoutes: Route[] = [
  publicRoute("POST /v1/event-sources/{sourceID}/inbound", {
    summary: "Receive a signed webhook",
    signed: true,
    response: InboundReceived,
    errors: ["conflict", "event_chain_too_long", "event_source_disabled", "signature_invalid"],
    run: (ctx, { params, body, signed }) => {
      if (!signed) throw new Error("the signed request is missing");
      return receiveWebhook(ctx, params.sourceID, body, signed);
    },
  }),
  projectRoute("POST /v1/event-sources/{sourceID}/test", {
    summary: "Preview which subscriptions an event matches, and why",
    scope: "events:read",
    foundBy,
    body: TestEvent,
    response: EventTested,
    run: (ctx, { params, body }) => testEvent(ctx, params.sourceID, body),
  }),
  projectRoute("GET /v1/event-sources/{sourceID}/events", {
    summary: "List the events that a source received",
    scope: "events:read",
    foundBy,
    query: ListSourceEventsQuery,
    response: SourceEventList,
    run: (ctx, { params, query }) => listEvents(ctx, params.sourceID, query),
  }),
  projectRoute("GET /v1/event-sources/{sourceID}/events/{eventID}", {
    summary: "Get an event with the result of each subscription",
    scope: "events:read",
    foundBy,
    response: SourceEvent,
    run: (ctx, { params }) => getEvent(ctx, params.sourceID, params.eventID),
  }),
  projectRoute("POST /v1/event-sources/{sourceID}/events/{eventID}/replay", {
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

async function listEvents(ctx: ProjectCtx, ref: string, query: ListSourceEventsQuery) {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const page = readPage(ctx, `event-sources/${source.id}/events`, query, "e");
  return presentPage(ctx, page, await listSourceEvents(ctx, source.id, page, query.status));
}

async function listSourceEvents(
  ctx: ProjectCtx,
  source_id: string,
  page: Page,
  status: string | undefined,
): Promise<SourceEventSummary[]> {
  const { rows } = await sql<SourceEventSummary>`
    select ${EVENT_COLUMNS} from source_events e
    where e.project_id = ${ctx.project_id} and e.source_id = ${source_id}
      ${status === undefined ? sql`` : sql`and e.status = ${status}`} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

/** Dispatches an event to the current subscriptions as a new event, without deduplicating its id. */
async function replayEvent(ctx: ProjectCtx, ref: string, id: string): Promise<SourceEvent> {
  const { source, event } = await requireEvent(ctx, ref, id);
  const { event_id, type, via, payload, metadata, parent_run_id, chain_depth } = event;
  const { caller } = ctx;
  const by = actorOf(caller);
  const incoming = {
    ...{ event_id, type, via, payload, metadata, parent_run_id, chain_depth },
    ...{ identities: [], replay_of: event.id, received_by: by.name, received_by_id: by.id },
    environment_id: boundEnvironment(caller),
  };
  const named = { resource_type: "event_source", resource_id: source.id };
  const alongside = (tx: ProjectCtx & InTransaction, source_event_id: string) =>
    recordAudit(tx, { action: "event_source.event_replayed", ...named, after: { replay_of: id, source_event_id } });
  const replayed = await dispatchEvent(ctx, source, incoming, alongside);
  return presentSourceEvent(ctx, replayed.event);
}

async function getEvent(ctx: ProjectCtx, ref: string, id: string): Promise<SourceEvent> {
  const { event } = await requireEvent(ctx, ref, id);
  return presentSourceEvent(ctx, event);
}

async function requireEvent(
  ctx: ProjectCtx,
  ref: string,
  id: string,
): Promise<{ source: SourceRow; event: SourceEventRow }> {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const event = isId(id) ? await findSourceEvent(ctx, ctx.project_id, id) : undefined;
  if (event?.source_id !== source.id) throw notFound("event");
  return { source, event };
}

type Tested = EventTested["subscriptions"][number];

/** The result that each subscription would have for an event. Starts and stores nothing. */
async function testEvent(ctx: ProjectCtx, ref: string, body: TestEvent): Promise<EventTested> {
  const { caller, project_id } = ctx;
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const { id = newId(), type = null, payload = {}, metadata = {} } = body;
  const errors = payloadIssues(source, payload);
  const subscriptions = await listSubscriptions(ctx, source, boundEnvironment(caller));
  const scope = scopeOf(source, { id, type, payload, metadata });
  const matches = await matchSubscriptions(subscriptions, scope);
  const cause = { trigger_type: "event", created_by: caller.name, metadata: {} } as const;
  const starts = await prepareStarts(ctx, project_id, matches, cause);
  const isTaken = source.enabled && errors.length === 0;
  const tested = starts.map((start) => present(start, isTaken));
  const draft = body.draft && { draft: tryDraft(body.draft, scope) };
  return { errors, matched: tested.filter(({ matched }) => matched).length, subscriptions: tested, ...draft };
}

/** What a filter and a template that are not saved yet would do with the event. */
function tryDraft({ filter = null, payload = null }: NonNullable<TestEvent["draft"]>, scope: EventScope) {
  const match = matchOne({ filter, payload, concurrency_key: null, enabled: true }, scope);
  return {
    matched: match.kind === "matched" || (match.kind === "failed" && match.matched),
    payload: match.kind === "matched" ? match.payload : null,
    error: match.kind === "failed" ? match.error : null,
  };
}

function present(start: Start, isTaken: boolean): Tested {
  const { match } = start;
  const { id: subscription_id, job_id, workflow_id, enabled } = match.subscription;
  const starts = start.kind === "run" || start.kind === "workflow_run";
  const error = match.kind === "failed" ? match.error : start.kind === "refused" ? start.error : null;
  return {
    ...{ subscription_id, job_id, workflow_id, enabled, error },
    matched: match.kind === "matched" || (match.kind === "failed" && match.matched),
    reason: reasonOf(start),
    would_start: starts && isTaken,
    payload: match.kind === "matched" ? match.payload : null,
  };
}

function reasonOf({ match, ...start }: Start): string {
  const { filter } = match.subscription;
  if (match.kind === "disabled") return "the subscription is disabled";
  if (match.kind === "not_matched") return `the filter ${filter} is false`;
  if (match.kind === "failed") return match.matched ? "a template cannot be rendered" : `the filter ${filter} failed`;
  if (start.kind === "refused") return "it matches, but its job or workflow rejects the run";
  return filter === null ? "there is no filter" : `the filter ${filter} is true`;
}

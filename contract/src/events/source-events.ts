import Type, { type Static } from "typebox";
import { ActorId, Id, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { ProblemError } from "../schema/problem.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { EventFilter, PayloadTemplate } from "./event-sources.ts";

export const SOURCE_EVENT_STATUSES = ["dispatched", "rejected"] as const;
export const EVENT_OUTCOMES = ["started", "existing", "not_matched", "disabled", "failed"] as const;

const EventId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The sender's id for the event. A repeated id within the source's `dedup_window_secs` starts nothing.",
});
const EventType = Type.String({ minLength: 1, maxLength: 255 });
const Metadata = Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
  description: "Additional information about the event.",
});
const Payload = Type.Unknown({ description: "Any JSON. Default: an empty object." });

const Failure = Type.Object({
  code: Type.String({ description: "Machine-readable error code." }),
  message: Type.String({ description: "Human-readable error message." }),
});

export const SubscriptionOutcome = Type.Object({
  subscription_id: Id,
  job_id: nullable(Id),
  workflow_id: nullable(Id),
  outcome: oneOf(
    EVENT_OUTCOMES,
    "`existing`: an existing run was used (deduplication or debounce). `failed`: nothing was started, see `error`.",
  ),
  run_id: nullable(Id),
  workflow_run_id: nullable(Id),
  error: nullable(Failure),
});
export type SubscriptionOutcome = Static<typeof SubscriptionOutcome>;

const summary = {
  id: Id,
  project_id: Id,
  source_id: Id,
  event_id: nullable(Type.String({ description: "The sender's id for the event." })),
  type: nullable(Type.String()),
  via: oneOf(["dispatch", "inbound"], "Dispatched with an API key of the project, or received as a signed webhook."),
  status: oneOf(SOURCE_EVENT_STATUSES, "`rejected`: not evaluated against any subscription, see `error`."),
  error: nullable(Failure),
  matched: Type.Integer({ description: "Number of subscriptions whose filter matched." }),
  started: Type.Integer({ description: "Number of runs started." }),
  failed: Type.Integer({ description: "Number of subscriptions that failed to be evaluated or to start a run." }),
  chain_depth: Type.Integer({
    description: "Position in a chain of events and runs, counting this event.",
  }),
  parent_run_id: nullable({ ...Id, description: "The run that dispatched it." }),
  replay_of: nullable({ ...Id, description: "The event that this one replays." }),
  received_by: Type.String({ description: "Name of the actor that dispatched it." }),
  received_by_id: ActorId,
  created_at: Timestamp,
};

export const SourceEventSummary = responseObject("SourceEventSummary", summary, "An event received by a source.");
export type SourceEventSummary = Static<typeof SourceEventSummary>;

export const SourceEventList = listOf("SourceEventList", SourceEventSummary);

export const SourceEvent = responseObject(
  "SourceEvent",
  {
    ...summary,
    payload: Type.Unknown(),
    metadata: Metadata,
    results: Type.Array(SubscriptionOutcome, { description: "The result for each subscription." }),
    duplicate: Type.Optional(
      Type.Boolean({
        description: "True if the event was received before. The other fields are those of the first response.",
      }),
    ),
  },
  "An event received by a source, and the result for each subscription.",
);
export type SourceEvent = Static<typeof SourceEvent>;

export const DispatchEvent = bodyObject(
  "DispatchEvent",
  {
    project_id: Type.Optional(ProjectIdQuery),
    source: Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of the event source." }),
    id: Type.Optional(EventId),
    type: Type.Optional(EventType),
    payload: Type.Optional(Payload),
    metadata: Type.Optional(Metadata),
    parent_run_id: Type.Optional({
      ...Id,
      description: "The run that dispatches the event. Used to detect and stop cycles of events and runs.",
    }),
  },
  "Dispatches an event to the subscriptions of a source.",
);
export type DispatchEvent = Static<typeof DispatchEvent>;

export const TestEvent = bodyObject(
  "TestEvent",
  {
    id: Type.Optional(EventId),
    type: Type.Optional(EventType),
    payload: Type.Optional(Payload),
    metadata: Type.Optional(Metadata),
    draft: Type.Optional(
      Type.Object(
        { filter: Type.Optional(nullable(EventFilter)), payload: Type.Optional(PayloadTemplate) },
        { additionalProperties: false, description: "A filter and a payload template to try before they are saved." },
      ),
    ),
  },
  "Tests an event. Nothing is started or stored.",
);
export type TestEvent = Static<typeof TestEvent>;

export const EventTested = responseObject(
  "EventTested",
  {
    errors: Type.Array(ProblemError, {
      description: "Where the payload does not match the source's schema. Such an event would be rejected.",
    }),
    matched: Type.Integer(),
    subscriptions: Type.Array(
      Type.Object({
        subscription_id: Id,
        job_id: nullable(Id),
        workflow_id: nullable(Id),
        enabled: Type.Boolean(),
        matched: Type.Boolean(),
        reason: Type.String({ description: "Why it does or does not match." }),
        would_start: Type.Boolean({ description: "True if such an event would start a run now." }),
        payload: Type.Unknown({ description: "The payload of the run. Null if none would be started." }),
        error: nullable(Failure),
      }),
    ),
    draft: Type.Optional(
      Type.Object(
        { matched: Type.Boolean(), payload: Type.Unknown(), error: nullable(Failure) },
        { description: "Result of the `draft`: whether its filter is true, and the rendered payload." },
      ),
    ),
  },
  "How each subscription would handle the event.",
);
export type EventTested = Static<typeof EventTested>;

export const InboundReceived = responseObject(
  "InboundReceived",
  { received: Type.Boolean(), id: Id, duplicate: Type.Boolean({ description: "True if it was received before." }) },
  "The webhook was received. Details are omitted because the sender has no API key.",
);
export type InboundReceived = Static<typeof InboundReceived>;

export const ListSourceEventsQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(SOURCE_EVENT_STATUSES)) },
  { additionalProperties: false },
);
export type ListSourceEventsQuery = Static<typeof ListSourceEventsQuery>;

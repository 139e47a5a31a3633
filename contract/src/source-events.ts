import Type, { type Static } from "typebox";
import { ActorId, Id, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { ProblemError } from "./problem.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

export const SOURCE_EVENT_STATUSES = ["dispatched", "rejected"] as const;
export const EVENT_OUTCOMES = ["started", "existing", "not_matched", "disabled", "failed"] as const;

const EventId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "As its sender calls it. The same again within the source's `dedup_window_secs` starts nothing.",
});
const EventType = Type.String({ minLength: 1, maxLength: 255 });
const Metadata = Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
  description: "What is known of it beside its payload.",
});
const Payload = Type.Unknown({ description: "Any JSON; an empty object when absent." });

const Failure = Type.Object({
  code: Type.String({ description: "For programs." }),
  message: Type.String({ description: "For people." }),
});

export const SubscriptionOutcome = Type.Object({
  subscription_id: Id,
  job_id: nullable(Id),
  workflow_id: nullable(Id),
  outcome: oneOf(
    EVENT_OUTCOMES,
    "`existing`: a run that was there stands for it (dedup, debounce). `failed`: `error` says why nothing was started.",
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
  event_id: nullable(Type.String({ description: "As its sender calls it." })),
  type: nullable(Type.String()),
  via: oneOf(["dispatch", "inbound"], "With a key of the project, or as a signed webhook."),
  status: oneOf(SOURCE_EVENT_STATUSES, "`rejected`: `error` says why; no subscription was asked."),
  error: nullable(Failure),
  matched: Type.Integer({ description: "How many subscriptions it passed the filter of." }),
  started: Type.Integer({ description: "How many runs it started." }),
  failed: Type.Integer({ description: "How many subscriptions could not be judged or started." }),
  chain_depth: Type.Integer({
    description: "How many events led to it, one run starting the next; itself among them.",
  }),
  parent_run_id: nullable({ ...Id, description: "The run that dispatched it." }),
  replay_of: nullable({ ...Id, description: "The event that it repeats." }),
  received_by: Type.String({ description: "Who dispatched it." }),
  received_by_id: ActorId,
  created_at: Timestamp,
};

export const SourceEventSummary = answerObject("SourceEventSummary", summary, "An event that came to a source.");
export type SourceEventSummary = Static<typeof SourceEventSummary>;

export const SourceEventList = listOf("SourceEventList", SourceEventSummary);

export const SourceEvent = answerObject(
  "SourceEvent",
  {
    ...summary,
    payload: Type.Unknown(),
    metadata: Metadata,
    results: Type.Array(SubscriptionOutcome, { description: "What became of it at each subscription." }),
    duplicate: Type.Optional(Type.Boolean({ description: "True: it was taken before, and this is what it did then." })),
  },
  "An event that came to a source, and what each subscription made of it.",
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
      description: "The run that dispatches it. With it a circle of events and runs is found and stopped.",
    }),
  },
  "An event for the subscriptions of a source.",
);
export type DispatchEvent = Static<typeof DispatchEvent>;

export const TestEvent = bodyObject(
  "TestEvent",
  {
    id: Type.Optional(EventId),
    type: Type.Optional(EventType),
    payload: Type.Optional(Payload),
    metadata: Type.Optional(Metadata),
  },
  "An event to try. Nothing is started or kept.",
);
export type TestEvent = Static<typeof TestEvent>;

export const EventTested = answerObject(
  "EventTested",
  {
    errors: Type.Array(ProblemError, {
      description: "Where the payload does not fit the source's schema. Such an event is rejected.",
    }),
    matched: Type.Integer(),
    subscriptions: Type.Array(
      Type.Object({
        subscription_id: Id,
        job_id: nullable(Id),
        workflow_id: nullable(Id),
        enabled: Type.Boolean(),
        matched: Type.Boolean(),
        reason: Type.String({ description: "Why it matches or not." }),
        would_start: Type.Boolean({ description: "True: an event like this would start a run now." }),
        payload: Type.Unknown({ description: "What the run would be given. Null when there would be none." }),
        error: nullable(Failure),
      }),
    ),
  },
  "What each subscription would make of an event.",
);
export type EventTested = Static<typeof EventTested>;

export const InboundReceived = answerObject(
  "InboundReceived",
  { received: Type.Boolean(), id: Id, duplicate: Type.Boolean({ description: "True: it was taken before." }) },
  "The webhook was taken. Nothing of what it started is told: its sender has no account.",
);
export type InboundReceived = Static<typeof InboundReceived>;

export const ListSourceEventsQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(SOURCE_EVENT_STATUSES)) },
  { additionalProperties: false },
);
export type ListSourceEventsQuery = Static<typeof ListSourceEventsQuery>;

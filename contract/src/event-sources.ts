import Type, { type Static } from "typebox";
import { Description, EnvironmentRef, Id, Name, ProjectIdQuery, paging, Slug, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, moving, nullable, oneOf } from "./schema.ts";

export const SOURCE_SIGNATURES = ["none", "hmac", "github", "stripe"] as const;
export const MOST_SUBSCRIPTIONS = 1_000;
const MOST_DEDUP_SECS = 2_592_000;

const Signature = oneOf(
  SOURCE_SIGNATURES,
  "How webhooks from outside are signed. `hmac` as this service signs its own (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`), `stripe` (`Stripe-Signature`); `none` takes no webhooks.",
);
const PayloadSchema = nullable(
  Type.Object({}, { additionalProperties: true, description: "JSON Schema that every payload must fit." }),
);
const DedupWindow = Type.Integer({
  minimum: 0,
  maximum: MOST_DEDUP_SECS,
  description: "How long an event id is remembered: the same again starts nothing. 0: not at all.",
});
const Enabled = Type.Boolean({ description: "False: it takes no events." });
const Secret = Type.String({
  minLength: 16,
  maxLength: 512,
  description: "What the sender signs with. Left out, one is made; Stripe makes its own.",
});

export const EventSource = answerObject(
  "EventSource",
  {
    id: Id,
    project_id: Id,
    slug: Slug,
    name: Type.String(),
    description: nullable(Type.String()),
    signature: Signature,
    payload_schema: PayloadSchema,
    dedup_window_secs: DedupWindow,
    enabled: Enabled,
    inbound_url: nullable(Type.String({ description: "Where signed webhooks are sent. Null: it takes none." })),
    previous_secret_expires_at: moving(
      nullable({ ...Timestamp, description: "Until then signatures of the secret before are good, too." }),
    ),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Where events come from: dispatched with a key, or sent by others as signed webhooks.",
);
export type EventSource = Static<typeof EventSource>;

export const EventSourceList = listOf("EventSourceList", EventSource);

const ShownSecret = nullable(Type.String({ description: "Shown here and never again. Null without a signature." }));

export const CreatedEventSource = answerObject(
  "CreatedEventSource",
  { ...withoutLink(EventSource.properties), secret: ShownSecret },
  "A new event source, with its secret.",
);
export type CreatedEventSource = Static<typeof CreatedEventSource>;

export const CreateEventSource = bodyObject(
  "CreateEventSource",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    slug: Type.Optional(Slug),
    description: Type.Optional(nullable(Description)),
    signature: Type.Optional(Signature),
    secret: Type.Optional(Secret),
    payload_schema: Type.Optional(PayloadSchema),
    dedup_window_secs: Type.Optional(DedupWindow),
    enabled: Type.Optional(Enabled),
  },
  "An event source to create. Without `signature` it takes no webhooks; ids are remembered for a day.",
);
export type CreateEventSource = Static<typeof CreateEventSource>;

export const UpdateEventSource = bodyObject(
  "UpdateEventSource",
  {
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    description: Type.Optional(nullable(Description)),
    payload_schema: Type.Optional(PayloadSchema),
    dedup_window_secs: Type.Optional(DedupWindow),
    enabled: Type.Optional(Enabled),
  },
  "The fields to change. Another signature is another source.",
);
export type UpdateEventSource = Static<typeof UpdateEventSource>;

export const ListEventSourcesQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListEventSourcesQuery = Static<typeof ListEventSourcesQuery>;

export const RotateEventSourceSecret = bodyObject(
  "RotateEventSourceSecret",
  {
    secret: Type.Optional(Secret),
    grace_period_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        description: "For how long the secret before is good, too. Default 0.",
      }),
    ),
  },
  "A new secret for an event source.",
);
export type RotateEventSourceSecret = Static<typeof RotateEventSourceSecret>;

export const EventSourceSecret = answerObject(
  "EventSourceSecret",
  {
    secret: Type.String({ description: "Shown here and never again." }),
    previous_secret_expires_at: nullable(Timestamp),
  },
  "The new secret.",
);
export type EventSourceSecret = Static<typeof EventSourceSecret>;

const Filter = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: "CEL over `payload` and `event` (`id`, `type`, `source`, `metadata`), such as `event.type == 'paid'`.",
});
const ConcurrencyKey = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "Template of the run's concurrency key.",
});
const Template = Type.Unknown({
  description: "JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload.",
});

export const EventSubscription = answerObject(
  "EventSubscription",
  {
    id: Id,
    project_id: Id,
    source_id: Id,
    job_id: nullable({ ...Id, description: "What it starts: a job, or a workflow." }),
    workflow_id: nullable(Id),
    filter: nullable(Filter),
    payload: Template,
    concurrency_key: nullable(ConcurrencyKey),
    environment_id: nullable(Id),
    enabled: Type.Boolean(),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Starts a job or a workflow for the events of a source that pass its filter.",
);
export type EventSubscription = Static<typeof EventSubscription>;

export const EventSubscriptionList = listOf("EventSubscriptionList", EventSubscription);

export const CreateEventSubscription = bodyObject(
  "CreateEventSubscription",
  {
    project_id: Type.Optional(ProjectIdQuery),
    job_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a job." })),
    workflow_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a workflow." })),
    filter: Type.Optional(nullable(Filter)),
    payload: Type.Optional(Template),
    concurrency_key: Type.Optional(nullable(ConcurrencyKey)),
    environment_id: Type.Optional(
      nullable({
        ...EnvironmentRef,
        description:
          "Where its runs happen: id or slug; the id is kept. Null: as the job or workflow says, else production.",
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: "False: it starts nothing." })),
  },
  "A subscription to create, of a job or of a workflow. Without `filter` it takes every event.",
);
export type CreateEventSubscription = Static<typeof CreateEventSubscription>;

export const UpdateEventSubscription = bodyObject(
  "UpdateEventSubscription",
  {
    filter: Type.Optional(nullable(Filter)),
    payload: Type.Optional(Template),
    concurrency_key: Type.Optional(nullable(ConcurrencyKey)),
    enabled: Type.Optional(Type.Boolean()),
  },
  "The fields to change. What it starts, and where, stays.",
);
export type UpdateEventSubscription = Static<typeof UpdateEventSubscription>;

export const ListSubscriptionsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListSubscriptionsQuery = Static<typeof ListSubscriptionsQuery>;

/** `$schema` is given anew to each object of its own name. */
function withoutLink<T extends object>(properties: T): Omit<T, "$schema"> {
  const { $schema: _, ...fields } = properties as T & { $schema?: unknown };
  return fields;
}

import Type, { type Static } from "typebox";
import {
  ActorId,
  Description,
  EnvironmentRef,
  Id,
  Name,
  ProjectIdQuery,
  paging,
  Slug,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const SOURCE_SIGNATURES = ["none", "hmac", "github", "stripe"] as const;
export const MAX_SUBSCRIPTIONS = 1_000;
const MAX_DEDUP_SECS = 2_592_000;

const Signature = oneOf(
  SOURCE_SIGNATURES,
  "How inbound webhooks are signed: `hmac` like this service's own webhooks (`X-Svc-Signature`), `github` (`X-Hub-Signature-256`) or `stripe` (`Stripe-Signature`). `none` accepts no webhooks.",
);
const PayloadSchema = nullable(
  Type.Object({}, { additionalProperties: true, description: "JSON Schema that every payload must match." }),
);
const DedupWindow = Type.Integer({
  minimum: 0,
  maximum: MAX_DEDUP_SECS,
  description:
    "How long event ids are remembered. A repeated id within this time starts nothing. 0 disables deduplication.",
});
const Enabled = Type.Boolean({ description: "False: the source rejects events." });
const Secret = Type.String({
  minLength: 16,
  maxLength: 512,
  description:
    "Secret that the sender signs with. Generated if absent; for Stripe, send the secret that Stripe issued.",
});

export const EventSource = responseObject(
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
    inbound_url: nullable(
      Type.String({ description: "URL that senders post signed webhooks to. Null if the source accepts none." }),
    ),
    previous_secret_expires_at: moving(
      nullable({ ...Timestamp, description: "Until then, signatures with the previous secret are accepted too." }),
    ),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A source of events: dispatched with an API key, or sent by third parties as signed webhooks.",
);
export type EventSource = Static<typeof EventSource>;

export const EventSourceList = listOf("EventSourceList", EventSource);

const ShownSecret = nullable(Type.String({ description: "Returned only once. Null if the source has no signature." }));

export const CreatedEventSource = responseObject(
  "CreatedEventSource",
  { ...withoutSchemaLink(EventSource.properties), secret: ShownSecret },
  "A new event source and its secret.",
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
  "Creates an event source. Without `signature` it accepts no webhooks. Event ids are remembered for one day by default.",
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
  "The fields to change. `signature` cannot be changed; create another source instead.",
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
        description: "How many minutes the previous secret stays valid. Default: 0.",
      }),
    ),
  },
  "Rotates the secret of an event source.",
);
export type RotateEventSourceSecret = Static<typeof RotateEventSourceSecret>;

export const EventSourceSecret = responseObject(
  "EventSourceSecret",
  {
    secret: Type.String({ description: "Returned only once." }),
    previous_secret_expires_at: nullable(Timestamp),
  },
  "The new secret of an event source.",
);
export type EventSourceSecret = Static<typeof EventSourceSecret>;

export const EventFilter = Type.String({
  minLength: 1,
  maxLength: 4096,
  description:
    "CEL expression over `payload` and `event` (`id`, `type`, `source`, `metadata`), for example `event.type == 'paid'`.",
});
const ConcurrencyKey = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "Template for the run's concurrency key.",
});
export const PayloadTemplate = Type.Unknown({
  description: "JSON with templates such as `{{payload.order.id}}` or `{{event.type}}`. Null: the event's payload.",
});

export const EventSubscription = responseObject(
  "EventSubscription",
  {
    id: Id,
    project_id: Id,
    source_id: Id,
    job_id: nullable({ ...Id, description: "The job to start. Null if it starts a workflow." }),
    workflow_id: nullable(Id),
    filter: nullable(EventFilter),
    payload: PayloadTemplate,
    concurrency_key: nullable(ConcurrencyKey),
    environment_id: nullable(Id),
    enabled: Type.Boolean(),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Starts a job or a workflow for every event of a source that matches its filter.",
);
export type EventSubscription = Static<typeof EventSubscription>;

export const EventSubscriptionList = listOf("EventSubscriptionList", EventSubscription);

export const CreateEventSubscription = bodyObject(
  "CreateEventSubscription",
  {
    project_id: Type.Optional(ProjectIdQuery),
    job_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a job." })),
    workflow_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a workflow." })),
    filter: Type.Optional(nullable(EventFilter)),
    payload: Type.Optional(PayloadTemplate),
    concurrency_key: Type.Optional(nullable(ConcurrencyKey)),
    environment_id: Type.Optional(
      nullable({
        ...EnvironmentRef,
        description:
          "Environment of its runs: id or slug, stored as the id. Null: the job's or workflow's environment, or else production.",
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: "False: the subscription starts nothing." })),
  },
  "Creates a subscription for a job or a workflow. Without `filter` it matches every event.",
);
export type CreateEventSubscription = Static<typeof CreateEventSubscription>;

export const UpdateEventSubscription = bodyObject(
  "UpdateEventSubscription",
  {
    filter: Type.Optional(nullable(EventFilter)),
    payload: Type.Optional(PayloadTemplate),
    concurrency_key: Type.Optional(nullable(ConcurrencyKey)),
    enabled: Type.Optional(Type.Boolean()),
  },
  "The fields to change. The job or workflow and the environment cannot be changed.",
);
export type UpdateEventSubscription = Static<typeof UpdateEventSubscription>;

export const ListSubscriptionsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListSubscriptionsQuery = Static<typeof ListSubscriptionsQuery>;

/** Each named object gets its own `$schema`. */
function withoutSchemaLink<T extends object>(properties: T): Omit<T, "$schema"> {
  const { $schema: _, ...fields } = properties as T & { $schema?: unknown };
  return fields;
}

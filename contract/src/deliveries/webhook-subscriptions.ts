import Type, { type Static } from "typebox";
import { ActorId, Description, EnvironmentRef, Id, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const RUN_EVENTS = [
  "run.created",
  "run.started",
  "run.waiting",
  "run.paused",
  "run.resumed",
  "run.retrying",
  "run.completed",
  "run.failed",
  "run.timed_out",
  "run.canceled",
  "run.dead_lettered",
] as const;

export const WORKFLOW_RUN_EVENTS = [
  "workflow_run.started",
  "workflow_run.paused",
  "workflow_run.resumed",
  "workflow_run.retried",
  "workflow_run.completed",
  "workflow_run.failed",
  "workflow_run.timed_out",
  "workflow_run.canceled",
] as const;

const EVENT_TRIGGER_EVENTS = [
  "event_trigger.created",
  "event_trigger.received",
  "event_trigger.timed_out",
  "event_trigger.canceled",
] as const;

export const BUDGET_EVENTS = ["budget.warning", "budget.exceeded", "budget.blocked"] as const;

export const ENDPOINT_EVENTS = ["endpoint.unreachable", "endpoint.recovered"] as const;

export const ALERT_EVENTS = ["alert.fired", "alert.repeated", "alert.resolved"] as const;

const ERROR_ISSUE_EVENTS = ["error_issue.reopened"] as const;

/** Event types that can be subscribed to. */
export const SUBSCRIBABLE_EVENTS = [
  "run.*",
  ...RUN_EVENTS,
  "workflow_run.*",
  ...WORKFLOW_RUN_EVENTS,
  "event_trigger.*",
  ...EVENT_TRIGGER_EVENTS,
  "budget.*",
  ...BUDGET_EVENTS,
  "endpoint.*",
  ...ENDPOINT_EVENTS,
  "alert.*",
  ...ALERT_EVENTS,
  "error_issue.*",
  ...ERROR_ISSUE_EVENTS,
  "api_key.*",
  "api_key.rotation_due",
  "*",
] as const;

const MAX_HEADERS = 20;

const Url = Type.String({ format: "uri", maxLength: 2048, description: "URL that events are posted to." });
const Events = Type.Array(oneOf(SUBSCRIBABLE_EVENTS), {
  minItems: 1,
  maxItems: SUBSCRIBABLE_EVENTS.length,
  uniqueItems: true,
  description: "Event types to deliver: by name, all of a kind such as `run.*`, or `*`.",
});
const Filter = Type.String({
  minLength: 1,
  maxLength: 4096,
  description:
    'CEL expression over `event`, such as `event.data.tags.team == "billing"`. Only matching events are delivered.',
});
const Headers = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  maxProperties: MAX_HEADERS,
  description:
    "Sent with every delivery. Encrypted at rest and returned as `[redacted]`; send `[redacted]` to keep the stored value.",
});
const ENVIRONMENT_FILTER =
  "Only events in this environment. Null: events in every environment, and those that belong to none.";
const Enabled = Type.Boolean({
  description: "False: new events are not delivered. Deliveries that already exist continue.",
});

export const WebhookSubscription = responseObject(
  "WebhookSubscription",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({ ...Id, description: ENVIRONMENT_FILTER }),
    url: Type.String(),
    description: nullable(Type.String()),
    events: Type.Array(Type.String()),
    filter: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String(), { description: "Header names. The values are not shown." }),
    enabled: Type.Boolean(),
    consecutive_failures: moving(
      Type.Integer({
        description: "Number of consecutive failures among the newest deliveries, at most 100.",
      }),
    ),
    last_delivered_at: moving(nullable({ ...Timestamp, description: "Among the newest 100 deliveries." })),
    filter_errors: moving(
      Type.Integer({ description: "Events that were not delivered because the filter could not be evaluated." }),
    ),
    last_filter_error: moving(nullable(Type.String())),
    last_filter_error_at: moving(nullable(Timestamp)),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Delivers the project's events to an external receiver.",
);
export type WebhookSubscription = Static<typeof WebhookSubscription>;
export const WebhookSubscriptionList = listOf("WebhookSubscriptionList", WebhookSubscription);

const optional = {
  description: Type.Optional(nullable(Description)),
  filter: Type.Optional(nullable(Filter)),
  headers: Type.Optional(Headers),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: `${ENVIRONMENT_FILTER} Id or slug, stored as the id.` }),
  ),
  enabled: Type.Optional(Enabled),
};

export const CreateWebhookSubscription = bodyObject(
  "CreateWebhookSubscription",
  { project_id: Type.Optional(ProjectIdQuery), url: Url, events: Events, ...optional },
  "Creates a subscription. It receives events from then on.",
);
export type CreateWebhookSubscription = Static<typeof CreateWebhookSubscription>;

export const UpdateWebhookSubscription = bodyObject(
  "UpdateWebhookSubscription",
  { url: Type.Optional(Url), events: Type.Optional(Events), ...optional },
  "The fields to change. `headers` is replaced as a whole. Deliveries that already exist keep their URL.",
);
export type UpdateWebhookSubscription = Static<typeof UpdateWebhookSubscription>;

export const ListWebhookSubscriptionsQuery = Type.Object(
  {
    ...paging,
    enabled: Type.Optional(Type.Boolean({ description: "Only enabled subscriptions, or only disabled ones." })),
  },
  { additionalProperties: false },
);
export type ListWebhookSubscriptionsQuery = Static<typeof ListWebhookSubscriptionsQuery>;

export const WebhookTest = responseObject(
  "WebhookTest",
  {
    delivered: Type.Boolean(),
    status_code: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: nullable(Type.String()),
    response_body: nullable(Type.String({ description: "The beginning of the response body." })),
    sent: Type.String({ description: "The request body that was sent." }),
  },
  "The result of sending a `webhook.test` event. It is sent once and not stored.",
);
export type WebhookTest = Static<typeof WebhookTest>;

import Type, { type Static } from "typebox";
import { Description, EnvironmentRef, Id, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, moving, nullable, oneOf } from "./schema.ts";

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

/** What can be asked for. */
const SUBSCRIBABLE_EVENTS = [
  "run.*",
  ...RUN_EVENTS,
  "workflow_run.*",
  ...WORKFLOW_RUN_EVENTS,
  "event_trigger.*",
  ...EVENT_TRIGGER_EVENTS,
  "budget.*",
  ...BUDGET_EVENTS,
  "api_key.*",
  "api_key.rotation_due",
  "*",
] as const;

const MOST_HEADERS = 20;

const Url = Type.String({ format: "uri", maxLength: 2048, description: "Where the events are posted." });
const Events = Type.Array(oneOf(SUBSCRIBABLE_EVENTS), {
  minItems: 1,
  maxItems: SUBSCRIBABLE_EVENTS.length,
  uniqueItems: true,
  description: "Which events: by name, all of a kind as `run.*`, or `*`.",
});
const Filter = Type.String({
  minLength: 1,
  maxLength: 4096,
  description:
    'A CEL expression over `event`, as `event.data.tags.team == "billing"`. Told are the events for which it is true.',
});
const Headers = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
  maxProperties: MOST_HEADERS,
  description:
    "Sent with every delivery. Encrypted at rest and shown as `[redacted]`, which stands for the value there is.",
});
const ONLY_THERE = "Only what happens there. Null: in every environment, and in none.";
const Enabled = Type.Boolean({ description: "False: nothing new is told; what was told before is still delivered." });

export const WebhookSubscription = answerObject(
  "WebhookSubscription",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({ ...Id, description: ONLY_THERE }),
    url: Type.String(),
    description: nullable(Type.String()),
    events: Type.Array(Type.String()),
    filter: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String(), { description: "Their names; the values are not shown." }),
    enabled: Type.Boolean(),
    consecutive_failures: moving(
      Type.Integer({
        description: "How many of the newest deliveries that were tried have not been taken, up to 100.",
      }),
    ),
    last_delivered_at: moving(nullable({ ...Timestamp, description: "Of its newest hundred deliveries." })),
    filter_errors: moving(
      Type.Integer({ description: "Events that were not told because the filter could not be applied to them." }),
    ),
    last_filter_error: moving(nullable(Type.String())),
    last_filter_error_at: moving(nullable(Timestamp)),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Tells a receiver outside of what happens in the project.",
);
export type WebhookSubscription = Static<typeof WebhookSubscription>;
export const WebhookSubscriptionList = listOf("WebhookSubscriptionList", WebhookSubscription);

const optional = {
  description: Type.Optional(nullable(Description)),
  filter: Type.Optional(nullable(Filter)),
  headers: Type.Optional(Headers),
  environment_id: Type.Optional(
    nullable({ ...EnvironmentRef, description: `${ONLY_THERE} By id or slug; the id is kept.` }),
  ),
  enabled: Type.Optional(Enabled),
};

export const CreateWebhookSubscription = bodyObject(
  "CreateWebhookSubscription",
  { project_id: Type.Optional(ProjectIdQuery), url: Url, events: Events, ...optional },
  "A subscription to create. It is told of what happens from then on.",
);
export type CreateWebhookSubscription = Static<typeof CreateWebhookSubscription>;

export const UpdateWebhookSubscription = bodyObject(
  "UpdateWebhookSubscription",
  { url: Type.Optional(Url), events: Type.Optional(Events), ...optional },
  "The fields to change. `headers` replaces all of them. What is on its way already goes where it was going.",
);
export type UpdateWebhookSubscription = Static<typeof UpdateWebhookSubscription>;

export const ListWebhookSubscriptionsQuery = Type.Object(
  {
    ...paging,
    enabled: Type.Optional(Type.Boolean({ description: "Only those that are, or only those that are not." })),
  },
  { additionalProperties: false },
);
export type ListWebhookSubscriptionsQuery = Static<typeof ListWebhookSubscriptionsQuery>;

export const WebhookTest = answerObject(
  "WebhookTest",
  {
    delivered: Type.Boolean(),
    status_code: nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: nullable(Type.String()),
    response_body: nullable(Type.String({ description: "The beginning of what the receiver answered." })),
    sent: Type.String({ description: "The body as it was sent." }),
  },
  "What became of a `webhook.test` that was sent to try a subscription. It is sent once, and not kept.",
);
export type WebhookTest = Static<typeof WebhookTest>;

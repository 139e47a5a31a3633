import Type, { type Static } from "typebox";
import { createdWithin, EnvironmentRef, Id, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

const ATTEMPT_OUTCOMES = ["delivered", "refused", "retryable", "aborted", "lost"] as const;

const Status = oneOf(DELIVERY_STATUSES, "`failed`: no further attempts, in the dead-letter queue until it is retried.");
const StatusCode = nullable(
  Type.Integer({ description: "HTTP status of the receiver's response. Null if there was none." }),
);
const DeliveryError = nullable(Type.String({ description: "Why it was not delivered." }));

const deliveryFields = {
  id: Id,
  project_id: Id,
  environment_id: nullable(Id),
  subscription_id: nullable({
    ...Id,
    description: "The subscription that created the delivery. Null if the URL came from a wait's `notify_url`.",
  }),
  event_id: { ...Id, description: "Sent as `webhook-id`. Equal for all deliveries of one event." },
  url: Type.String(),
  event_type: Type.String({ description: "Type of the event, such as `event_trigger.received`." }),
  source_type: Type.String({ description: "Type of the object that the event is about." }),
  source_id: Type.String(),
  status: Status,
  attempts: Type.Integer({ description: "Number of attempts since the last manual retry." }),
  max_attempts: Type.Integer(),
  next_attempt_at: nullable(Timestamp),
  last_status_code: StatusCode,
  last_error: DeliveryError,
  delivered_at: nullable(Timestamp),
  failed_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookDelivery = responseObject(
  "WebhookDelivery",
  deliveryFields,
  "A webhook delivery. `next_attempt_at` is null while an attempt is in progress.",
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryList = listOf("WebhookDeliveryList", WebhookDelivery);

const DeliveryAttempt = Type.Object(
  {
    attempt: Type.Integer({ description: "Counted from 1; a manual retry starts over." }),
    status_code: StatusCode,
    error: DeliveryError,
    duration_ms: nullable(Type.Integer()),
    outcome: nullable(
      oneOf(
        ATTEMPT_OUTCOMES,
        "`aborted`: abandoned before a response, because the service shut down or the request could not be signed; it is repeated and does not count as an attempt. `lost`: the sending instance stopped responding.",
      ),
    ),
    request_headers: nullable(
      Type.Record(Type.String(), Type.String(), {
        description: "The request headers. For headers added by the subscription, only the names.",
      }),
    ),
    response_headers: nullable(Type.Record(Type.String(), Type.String())),
    response_body: nullable(Type.String({ description: "The first 4,096 characters of the response body." })),
    started_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { description: "One request to the receiver. `finished_at` is null while it is in progress." },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const WebhookDeliveryDetail = responseObject(
  "WebhookDeliveryDetail",
  {
    ...deliveryFields,
    body: nullable(
      Type.String({
        description:
          "The signed request body, identical in every attempt. Null if the caller may not read the object that the event is about.",
      }),
    ),
    attempt_history: Type.Array(DeliveryAttempt, { description: "The newest 100 attempts, oldest first." }),
  },
  "A webhook delivery with its body and attempts.",
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

const narrowing = {
  subscription_id: Type.Optional({ ...Id, description: "Only deliveries of this subscription." }),
  event_type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Only deliveries of this event type." }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: "Only deliveries to this host, with its port if it has one.",
    }),
  ),
  environment_id: Type.Optional({
    ...EnvironmentRef,
    description:
      "Only deliveries about objects of this environment, and those about the project as a whole. Id or slug.",
  }),
  ...createdWithin,
};

export const ListWebhookDeliveriesQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(DELIVERY_STATUSES, "Only deliveries with this status.")), ...narrowing },
  { additionalProperties: false },
);
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>;

const MAX_BULK_DELIVERIES = 100;

export const BulkRetryDeliveries = bodyObject(
  "BulkRetryDeliveries",
  {
    project_id: Type.Optional(ProjectIdQuery),
    delivery_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_BULK_DELIVERIES, uniqueItems: true })),
    filter: Type.Optional(
      Type.Object(
        {
          url: Type.Optional(
            Type.String({ minLength: 1, maxLength: 2048, description: "Only deliveries to exactly this URL." }),
          ),
          ...narrowing,
        },
        { additionalProperties: false, description: "Selects failed deliveries. `{}` selects all of them." },
      ),
    ),
  },
  "Retries failed deliveries: up to 100 by id, immediately, or by filter, in the background.",
);
export type BulkRetryDeliveries = Static<typeof BulkRetryDeliveries>;

export const BulkRetryDeliveriesResult = responseObject(
  "BulkRetryDeliveriesResult",
  {
    batch_id: Id,
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        delivery_id: Id,
        status: oneOf(["retried", "failed"]),
        error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
      }),
    ),
  },
  "The result for each delivery, in request order.",
);
export type BulkRetryDeliveriesResult = Static<typeof BulkRetryDeliveriesResult>;

import Type, { type Static } from "typebox";
import { createdWithin, Id, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

const ATTEMPT_OUTCOMES = ["delivered", "refused", "to_be_retried", "given_back", "lost"] as const;

const Status = oneOf(DELIVERY_STATUSES, "`failed`: given up, and on the dead-letter list until it is retried.");
const StatusCode = nullable(Type.Integer({ description: "What the receiver answered; null: nothing." }));
const DeliveryError = nullable(Type.String({ description: "Why it was not delivered." }));

const deliveryFields = {
  id: Id,
  project_id: Id,
  environment_id: nullable(Id),
  subscription_id: nullable({ ...Id, description: "The subscription it was made for. Null: the wait named the URL." }),
  event_id: { ...Id, description: "Sent as `webhook-id`: the same for all who are told of one event." },
  url: Type.String(),
  event_type: Type.String({ description: "What it tells, as `event_trigger.received`." }),
  source_type: Type.String({ description: "What kind of object it tells of." }),
  source_id: Type.String(),
  status: Status,
  attempts: Type.Integer({ description: "How often it was tried, since the last retry by hand." }),
  max_attempts: Type.Integer(),
  next_attempt_at: nullable(Timestamp),
  last_status_code: StatusCode,
  last_error: DeliveryError,
  delivered_at: nullable(Timestamp),
  failed_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookDelivery = answerObject(
  "WebhookDelivery",
  deliveryFields,
  "A webhook on its way to a receiver. `next_attempt_at` is null while an attempt is under way.",
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryList = listOf("WebhookDeliveryList", WebhookDelivery);

const DeliveryAttempt = Type.Object(
  {
    attempt: Type.Integer({ description: "Counted from 1, and again after a retry by hand." }),
    status_code: StatusCode,
    error: DeliveryError,
    duration_ms: nullable(Type.Integer()),
    outcome: nullable(
      oneOf(ATTEMPT_OUTCOMES, "`given_back`: it could not be sent and is not counted. `lost`: the sender fell silent."),
    ),
    request_headers: nullable(
      Type.Record(Type.String(), Type.String(), {
        description: "As they were sent; of those that the subscription adds the names alone.",
      }),
    ),
    response_headers: nullable(Type.Record(Type.String(), Type.String())),
    response_body: nullable(Type.String({ description: "The first 4,096 characters of what the receiver answered." })),
    started_at: Timestamp,
    finished_at: nullable(Timestamp),
  },
  { description: "One request to the receiver. Without `finished_at` it is under way." },
);
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const WebhookDeliveryDetail = answerObject(
  "WebhookDeliveryDetail",
  {
    ...deliveryFields,
    body: nullable(
      Type.String({
        description:
          "The text that is signed and sent, the same on every attempt. Null: the caller may not read what it tells of.",
      }),
    ),
    attempt_history: Type.Array(DeliveryAttempt, { description: "Oldest first; the newest hundred." }),
  },
  "A webhook with what is sent and with its attempts.",
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

const narrowing = {
  subscription_id: Type.Optional({ ...Id, description: "Only those of this subscription." }),
  event_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "Only those that tell this." })),
  host: Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description: "Only those to this host, with its port if it has one." }),
  ),
  ...createdWithin,
};

export const ListWebhookDeliveriesQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(DELIVERY_STATUSES, "Only those with this status.")), ...narrowing },
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
            Type.String({ minLength: 1, maxLength: 2048, description: "Only those to this very URL." }),
          ),
          ...narrowing,
        },
        { additionalProperties: false, description: "Which failed deliveries; `{}` is all of them." },
      ),
    ),
  },
  "Failed deliveries to send again: up to 100 by name, at once; or by filter, in the background.",
);
export type BulkRetryDeliveries = Static<typeof BulkRetryDeliveries>;

export const BulkRetryDeliveriesResult = answerObject(
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
  "What became of each delivery, in the order they were sent.",
);
export type BulkRetryDeliveriesResult = Static<typeof BulkRetryDeliveriesResult>;

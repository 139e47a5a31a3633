import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "./fields.ts";
import { answerObject, listOf, nullable, oneOf } from "./schema.ts";

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

const Status = oneOf(DELIVERY_STATUSES, "`failed`: given up, and on the dead-letter list until it is retried.");
const StatusCode = nullable(Type.Integer({ description: "What the receiver answered; null: nothing." }));
const DeliveryError = nullable(Type.String({ description: "Why it was not delivered." }));

const deliveryFields = {
  id: Id,
  project_id: Id,
  environment_id: nullable(Id),
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
    body: Type.String({ description: "The text that is signed and sent, the same on every attempt." }),
    attempt_history: Type.Array(DeliveryAttempt, { description: "Oldest first; the newest hundred." }),
  },
  "A webhook with what is sent and with its attempts.",
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

export const ListWebhookDeliveriesQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(DELIVERY_STATUSES, "Only those with this status.")) },
  { additionalProperties: false },
);
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuery>;

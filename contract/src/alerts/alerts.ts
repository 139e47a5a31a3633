import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { ALERT_KINDS } from "./alert-kinds.ts";

export const ALERT_STATUSES = ["firing", "resolved"] as const;

export const Alert = responseObject(
  "Alert",
  {
    id: Id,
    project_id: Id,
    rule_id: Id,
    rule_name: Type.String(),
    kind: oneOf(ALERT_KINDS),
    environment_id: nullable(Id),
    status: oneOf(ALERT_STATUSES),
    summary: Type.String({ description: "What was measured, in one sentence." }),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: "The figures and objects behind the summary." }),
    value: nullable(Type.Number()),
    threshold: Type.Number(),
    notifications: Type.Integer({ description: "How often its channels were notified. 0: the rule was silenced." }),
    fired_at: Timestamp,
    resolved_at: nullable(Timestamp),
    resolved_because: nullable(oneOf(["recovered", "rule_disabled", "rule_deleted"])),
    created_at: Timestamp,
  },
  "One time that an alert rule fired.",
);
export type Alert = Static<typeof Alert>;
export const AlertList = listOf("AlertList", Alert);

export const ListAlertsQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(oneOf(ALERT_STATUSES)),
    rule_id: Type.Optional({ ...Id, description: "Only alerts of this rule." }),
  },
  { additionalProperties: false },
);
export type ListAlertsQuery = Static<typeof ListAlertsQuery>;

import Type, { type Static } from "typebox";
import { Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";

const STATUSES = ["ok", "violated", "unchecked"] as const;

const Status = oneOf(STATUSES, "`unchecked`: no engine instance has checked it within the last minute.");

export const Invariant = Type.Object({
  name: Type.String(),
  guarantee: Type.String({ description: "The condition that must hold." }),
  status: Status,
  violations: Type.Integer({ minimum: 0, description: "How many rows violated it at the last check, at most 1,000." }),
  violated_since: nullable({ ...Timestamp, description: "The first check that found the current violation." }),
  checked_at: nullable({ ...Timestamp, description: "Null before the first check." }),
  repaired: Type.Integer({
    minimum: 0,
    description: "Number of violations that reconciliation has repaired since the service was set up.",
  }),
  repaired_at: nullable({ ...Timestamp, description: "When it last repaired one." }),
  remedy: Type.String({ description: "What to do. Empty unless it is violated or unchecked." }),
});
export type Invariant = Static<typeof Invariant>;

export const Invariants = responseObject(
  "Invariants",
  { status: Status, invariants: Type.Array(Invariant) },
  "Whether no run is lost or stuck: the guarantees that the service checks continuously. Contains no tenant data.",
);
export type Invariants = Static<typeof Invariants>;

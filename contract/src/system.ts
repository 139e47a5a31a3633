import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const FINDING_STATUSES = ["ok", "warning", "failed"] as const;

const Finding = Type.Object({
  check: Type.String(),
  status: oneOf(FINDING_STATUSES),
  message: Type.String(),
  remedy: Type.String({ description: "What to do; empty when nothing is." }),
});
export type SystemFinding = Static<typeof Finding>;

const Instance = Type.Object({
  id: Id,
  roles: Type.Array(Type.String()),
  version: Type.String(),
  address: Type.String(),
  started_at: Timestamp,
  seen_at: Timestamp,
  is_alive: Type.Boolean({ description: "It has said so within the last 30 seconds." }),
  is_this: Type.Boolean({ description: "It is the one that answers." }),
});

const BackgroundTask = Type.Object({
  name: Type.String(),
  holder: { ...Id, description: "The instance that leads it." },
  passes: Count("How often the lead was taken."),
  ended_at: nullable({ ...Timestamp, description: "When its last turn ended. Null: one is under way." }),
  next_due_at: Timestamp,
});

export const System = answerObject(
  "System",
  {
    version: Type.String({ description: "Of the service." }),
    node: Type.String({ description: "Version of Node." }),
    mode: oneOf(["dev", "serve"]),
    instance_id: { ...Id, description: "The instance that answers." },
    database: Type.Object({
      version: Type.String(),
      is_embedded: Type.Boolean(),
      size_bytes: Count("Of the whole database, with its indexes."),
      schema_version: nullable(Type.String({ description: "The last migration that it had." })),
      connections: Count("Connections to the database, of all programs."),
      max_connections: Count("The most that it takes."),
      clock_ahead_ms: Type.Integer({ description: "How far its clock is before that of this instance." }),
    }),
    queue: Type.Object({
      ready: Count("Runs that could start now. Counted up to 100,000, as the others."),
      blocked: Count("Runs that are not due or blocked by a limit, a paused job, a budget or a dependency."),
      in_flight: Count("Runs that an instance holds."),
      oldest_ready_at: nullable({ ...Timestamp, description: "Since when the first of those that could start waits." }),
    }),
    pool: Type.Object({
      active: Count("Dispatches under way of this instance."),
      queued: Count("Runs that it has taken and that wait for a free place."),
      size: Count("Its places."),
    }),
    instances: Type.Array(Instance),
    tasks: Type.Array(BackgroundTask, { description: "What one instance does for all; reconciliation is part of it." }),
    findings: Type.Array(Finding, { description: "What was looked at, and what to do where it is not well." }),
  },
  "The service as it is just now, for those who run it. Nothing of a tenant is in it.",
);
export type System = Static<typeof System>;

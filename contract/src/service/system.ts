import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Invariant } from "./invariants.ts";

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const FINDING_STATUSES = ["ok", "warning", "failed"] as const;

const Finding = Type.Object({
  check: Type.String(),
  status: oneOf(FINDING_STATUSES),
  message: Type.String(),
  remedy: Type.String({ description: "How to fix it. Empty if there is nothing to do." }),
});
export type SystemFinding = Static<typeof Finding>;

const Instance = Type.Object({
  id: Id,
  roles: Type.Array(Type.String()),
  version: Type.String(),
  address: Type.String(),
  started_at: Timestamp,
  seen_at: Timestamp,
  is_alive: Type.Boolean({ description: "Has sent a heartbeat within the last 30 seconds." }),
  is_this: Type.Boolean({ description: "True for the responding instance." }),
});

const BackgroundTask = Type.Object({
  name: Type.String(),
  holder: { ...Id, description: "The instance that is the leader." },
  passes: Count("Number of passes so far."),
  ended_at: nullable({ ...Timestamp, description: "When the last pass ended. Null if a pass is in progress." }),
  next_due_at: Timestamp,
});

export const System = responseObject(
  "System",
  {
    version: Type.String({ description: "Version of the service." }),
    node: Type.String({ description: "Version of Node.js." }),
    mode: oneOf(["dev", "serve"]),
    instance_id: { ...Id, description: "The responding instance." },
    database: Type.Object({
      version: Type.String(),
      is_embedded: Type.Boolean(),
      size_bytes: Count("Size of the whole database including indexes."),
      schema_version: nullable(Type.String({ description: "The last migration that was applied." })),
      connections: Count("Open connections to the database, from all programs."),
      max_connections: Count("Maximum number of connections."),
      clock_ahead_ms: Type.Integer({ description: "How far the database clock is ahead of this instance's." }),
    }),
    queue: Type.Object({
      ready: Count("Runs that can start now. Like the other counts, capped at 100,000."),
      blocked: Count("Runs that are not due yet, or blocked by a limit, a paused job, a budget or a dependency."),
      in_flight: Count("Runs claimed by an instance."),
      oldest_ready_at: nullable({
        ...Timestamp,
        description: "When the run that has waited longest became ready to start.",
      }),
    }),
    pool: Type.Object({
      active: Count("Dispatches in progress on this instance."),
      queued: Count("Runs that this instance has claimed and that wait for a free slot."),
      size: Count("Number of dispatch slots."),
    }),
    instances: Type.Array(Instance),
    tasks: Type.Array(BackgroundTask, {
      description: "Background tasks that one instance runs for all, including reconciliation.",
    }),
    invariants: Type.Array(Invariant, { description: "What `GET /health/invariants` returns." }),
    findings: Type.Array(Finding, { description: "Results of the health checks, with remedies for problems." }),
  },
  "The current state of the service, for operators. Contains no tenant data.",
);
export type System = Static<typeof System>;

import Type, { type Static } from "typebox";
import { ActorId, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const OUTBOX_SSL_MODES = ["disable", "require", "verify-full"] as const;
export const OUTBOX_SOURCE_STATES = ["waiting", "draining", "failing", "disabled"] as const;
export const MAX_REFUSED_ROWS = 100;

const DatabaseUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "`postgresql://user:password@host:port/database?sslmode=…`. Stored encrypted and never returned. `sslmode` is `verify-full` (default), `require` (encrypted, without checking the certificate) or `disable`.",
});
const Enabled = Type.Boolean({ description: "While false, rows stay in the application's database." });

export const OutboxSource = responseObject(
  "OutboxSource",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    host: Type.String(),
    port: Type.Integer(),
    database: Type.String(),
    username: Type.String(),
    sslmode: oneOf(OUTBOX_SSL_MODES),
    enabled: Enabled,
    state: moving(
      oneOf(
        OUTBOX_SOURCE_STATES,
        "`draining`: an instance is connected. `failing`: the last attempt failed. `waiting`: about to be claimed.",
      ),
    ),
    consecutive_failures: moving(Type.Integer()),
    failing_since: moving(nullable(Timestamp)),
    next_attempt_at: moving(
      nullable({ ...Timestamp, description: "While the source is failing: time of the next attempt." }),
    ),
    last_error: moving(nullable(Type.String())),
    last_drained_at: moving(nullable(Timestamp)),
    drained_count: moving(Type.Integer({ description: "Rows that became runs." })),
    refused_count: moving(
      Type.Integer({
        description: "Rows that were refused. They stay in the application's database with their error.",
      }),
    ),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A database of an application: committed calls of `millrace.enqueue` there become runs.",
);
export type OutboxSource = Static<typeof OutboxSource>;
export const OutboxSourceList = listOf("OutboxSourceList", OutboxSource);

export const CreateOutboxSource = bodyObject(
  "CreateOutboxSource",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    database_url: DatabaseUrl,
    enabled: Type.Optional(Enabled),
  },
  "Connects to the database first: `millrace outbox install` must have prepared it.",
);
export type CreateOutboxSource = Static<typeof CreateOutboxSource>;

export const UpdateOutboxSource = bodyObject(
  "UpdateOutboxSource",
  {
    name: Type.Optional(Name),
    database_url: Type.Optional(DatabaseUrl),
    enabled: Type.Optional(Enabled),
  },
  "The fields to change. A new `database_url` is tested first.",
);
export type UpdateOutboxSource = Static<typeof UpdateOutboxSource>;

export const ListOutboxSourcesQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListOutboxSourcesQuery = Static<typeof ListOutboxSourcesQuery>;

export const RefusedRows = responseObject(
  "RefusedRows",
  {
    data: Type.Array(
      Type.Object({
        id: Id,
        job: Type.String(),
        options: Type.Unknown(),
        error: Type.Object({ code: Type.String(), message: Type.String() }),
        enqueued_at: Timestamp,
        refused_at: Timestamp,
      }),
    ),
    has_more: Type.Boolean(),
  },
  "The oldest refused rows in the application's database, read from there. Payloads are not included.",
);
export type RefusedRows = Static<typeof RefusedRows>;

export const RetriedRows = responseObject(
  "RetriedRows",
  { retried: Type.Integer() },
  "How many refused rows are drained again, in the order in which they were enqueued.",
);
export type RetriedRows = Static<typeof RetriedRows>;

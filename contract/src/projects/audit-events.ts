import Type, { type Static } from "typebox";
import { createdWithin, Id, paging, Timestamp } from "../schema/fields.ts";
import { listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

const Snapshot = (description: string) => nullable(Type.Record(Type.String(), Type.Unknown(), { description }));

export const AuditEvent = responseObject(
  "AuditEvent",
  {
    id: Id,
    project_id: Id,
    actor_kind: Type.String({ description: "`api_key`, `internal_secret`, `member`, `service` …" }),
    actor_id: nullable(Type.String({ description: "For an API key, its id." })),
    actor_name: nullable(Type.String()),
    action: Type.String({ description: "For example `job.updated`." }),
    resource_type: Type.String(),
    resource_id: Type.String(),
    before: Snapshot("The changed fields before the change, without secrets."),
    after: Snapshot("The changed fields after the change, without secrets."),
    ip: nullable(Type.String()),
    user_agent: nullable(Type.String()),
    request_id: nullable(Type.String({ description: "The `X-Request-Id` of the request." })),
    created_at: Timestamp,
    sealed: Type.Boolean({
      description: "Whether the event has been added to the hash chain. This takes a few seconds.",
    }),
    chain_no: nullable(Type.Integer({ description: "Position in the project's chain, starting at 1." })),
    hash: nullable(Type.String({ description: "Hex-encoded hash over this event and all events before it." })),
  },
  "A change: who made it, when and from where.",
);
export type AuditEvent = Static<typeof AuditEvent>;
export const AuditEventList = listOf("AuditEventList", AuditEvent);

const filters = {
  ...createdWithin,
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Name or id of the actor." })),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "For example `job.updated`, or `job.*` for all job actions.",
    }),
  ),
  resource_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
};

export const ListAuditEventsQuery = Type.Object({ ...paging, ...filters }, { additionalProperties: false });
export type ListAuditEventsQuery = Static<typeof ListAuditEventsQuery>;

export const ExportAuditEventsQuery = Type.Object(
  { ...filters, format: Type.Optional(oneOf(["ndjson", "csv"], "Default: `ndjson`.")) },
  { additionalProperties: false },
);
export type ExportAuditEventsQuery = Static<typeof ExportAuditEventsQuery>;

const Hash = Type.String({ description: "Hex-encoded." });
const Signature = Type.String({ description: "Ed25519 signature, base64-encoded." });

const AuditHead = Type.Object(
  {
    project_id: Id,
    count: Type.Integer({ description: "Position of the newest event in the chain." }),
    hash: Hash,
    signature: Signature,
    start_no: Type.Integer({
      description: "Position of the newest event removed by retention. 0 if none was removed.",
    }),
    start_hash: Hash,
    start_signature: Signature,
    public_key: Type.String({ description: "Ed25519 public key, base64-encoded. Keep it to verify exports." }),
    sealed_at: Timestamp,
  },
  { description: "The signed start and end of a project's audit chain." },
);
export type AuditHead = Static<typeof AuditHead>;

const AUDIT_ISSUE_KINDS = ["edited", "missing", "cut_off", "head_forged", "start_forged"] as const;

export const VerifyAuditEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({ minimum: 0, description: "Continue after this event: `next_after` of the previous response." }),
    ),
  },
  { additionalProperties: false },
);
export type VerifyAuditEventsQuery = Static<typeof VerifyAuditEventsQuery>;

export const AuditVerification = responseObject(
  "AuditVerification",
  {
    valid: Type.Boolean(),
    checked: Type.Integer({ description: "Number of events whose hash was verified, at most 50,000 per call." }),
    next_after: nullable(
      Type.Integer({ description: "Call again with this value as `after`. Null if everything was verified." }),
    ),
    unsealed: Type.Integer({ description: "Events that have not been added to the chain yet." }),
    issues: Type.Array(
      Type.Object({
        kind: oneOf(AUDIT_ISSUE_KINDS),
        chain_no: nullable(Type.Integer()),
        event_id: nullable(Type.String()),
        message: Type.String(),
      }),
      { description: "At most 100." },
    ),
    head: nullable(AuditHead),
  },
  "Whether the project's audit events are unchanged since they were recorded.",
);
export type AuditVerification = Static<typeof AuditVerification>;

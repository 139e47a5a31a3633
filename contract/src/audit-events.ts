import Type, { type Static } from "typebox";
import { createdWithin, Id, paging, Timestamp } from "./fields.ts";
import { answerObject, listOf, nullable, oneOf } from "./schema.ts";

const Snapshot = (description: string) => nullable(Type.Record(Type.String(), Type.Unknown(), { description }));

export const AuditEvent = answerObject(
  "AuditEvent",
  {
    id: Id,
    project_id: Id,
    actor_kind: Type.String({ description: "`api_key`, `internal_secret`, `member`, `service` …" }),
    actor_id: nullable(Type.String({ description: "Of an API key: its id." })),
    actor_name: nullable(Type.String()),
    action: Type.String({ description: "Such as `job.updated`." }),
    resource_type: Type.String(),
    resource_id: Type.String(),
    before: Snapshot("What was changed as it was before. Secrets are not in it."),
    after: Snapshot("The same as it was after the change."),
    ip: nullable(Type.String()),
    user_agent: nullable(Type.String()),
    request_id: nullable(Type.String({ description: "The `X-Request-Id` of the request." })),
    created_at: Timestamp,
    sealed: Type.Boolean({ description: "It has its place in the chain: within seconds of the change." }),
    chain_no: nullable(Type.Integer({ description: "Its number in the chain of the project, from 1." })),
    hash: nullable(Type.String({ description: "Over this event and all before it, as hexadecimal digits." })),
  },
  "Who changed what, when and from where.",
);
export type AuditEvent = Static<typeof AuditEvent>;
export const AuditEventList = listOf("AuditEventList", AuditEvent);

const filters = {
  ...createdWithin,
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Name or id of who did it." })),
  action: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Such as `job.updated`, or `job.*` for all of a kind." }),
  ),
  resource_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  request_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
};

export const ListAuditEventsQuery = Type.Object({ ...paging, ...filters }, { additionalProperties: false });
export type ListAuditEventsQuery = Static<typeof ListAuditEventsQuery>;

export const ExportAuditEventsQuery = Type.Object(
  { ...filters, format: Type.Optional(oneOf(["ndjson", "csv"], "`ndjson` unless said otherwise.")) },
  { additionalProperties: false },
);
export type ExportAuditEventsQuery = Static<typeof ExportAuditEventsQuery>;

const Hash = Type.String({ description: "Hexadecimal digits." });
const Signature = Type.String({ description: "Ed25519, base64." });

const AuditHead = Type.Object(
  {
    project_id: Id,
    count: Type.Integer({ description: "The number of the newest event of the chain." }),
    hash: Hash,
    signature: Signature,
    start_no: Type.Integer({ description: "The newest event that retention has removed; 0: none." }),
    start_hash: Hash,
    start_signature: Signature,
    public_key: Type.String({ description: "Ed25519, base64: keep it, and check exports with it." }),
    sealed_at: Timestamp,
  },
  { description: "The signed end and beginning of a project's chain of audit events." },
);
export type AuditHead = Static<typeof AuditHead>;

const AUDIT_FAULTS = ["edited", "missing", "cut_off", "head_forged", "start_forged"] as const;

export const VerifyAuditEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({ minimum: 0, description: "Go on behind this event: `next_after` of the call before." }),
    ),
  },
  { additionalProperties: false },
);
export type VerifyAuditEventsQuery = Static<typeof VerifyAuditEventsQuery>;

export const AuditVerification = answerObject(
  "AuditVerification",
  {
    valid: Type.Boolean(),
    checked: Type.Integer({ description: "Events whose hash was computed again: at most 50,000 in a call." }),
    next_after: nullable(Type.Integer({ description: "There is more: call again with this as `after`." })),
    unsealed: Type.Integer({ description: "Events that are too new to have their place in the chain." }),
    faults: Type.Array(
      Type.Object({
        kind: oneOf(AUDIT_FAULTS),
        chain_no: nullable(Type.Integer()),
        event_id: nullable(Type.String()),
        message: Type.String(),
      }),
      { description: "The first hundred." },
    ),
    head: nullable(AuditHead),
  },
  "Whether the audit events of a project are what was recorded.",
);
export type AuditVerification = Static<typeof AuditVerification>;

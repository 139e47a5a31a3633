import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, Name, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";
import { SCOPES } from "./scopes.ts";

const Scopes = nullable(
  Type.Array(oneOf(["*", ...SCOPES]), {
    minItems: 1,
    maxItems: 64,
    uniqueItems: true,
    description:
      "What the key may do; null or absent: all that its creator may. Policies do not narrow `audit:read`: it shows every change whole.",
  }),
);
const RotationIntervalDays = Type.Integer({ minimum: 1, maximum: 365, description: "Rotation is due after this." });
const OrgId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The project's org: the key may then read every project of it.",
});

export const API_KEY_STATUSES = ["active", "expired", "revoked"] as const;

const heldScopes = nullable(Type.Array(Type.String(), { description: "Null: all scopes." }));

const apiKeyFields = {
  id: Id,
  project_id: Id,
  environment_id: nullable(Id),
  org_id: nullable(OrgId),
  name: Type.String(),
  key_prefix: Type.String({ description: "The first 12 characters of the key." }),
  scopes: heldScopes,
  status: oneOf(API_KEY_STATUSES),
  expires_at: nullable(Timestamp),
  rotation_interval_days: nullable(RotationIntervalDays),
  rotated_at: Timestamp,
  rotation_due: Type.Boolean({ description: "The rotation interval has passed since the last rotation." }),
  previous_key_expires_at: nullable(Timestamp),
  last_used_at: nullable({
    ...Timestamp,
    description: "Also by a session or a token that the key has made; up to ten seconds behind.",
  }),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  revoked_at: nullable(Timestamp),
};

export const ApiKey = answerObject("ApiKey", apiKeyFields, "An API key, without its secret.");
export type ApiKey = Static<typeof ApiKey>;

const Secret = Type.String({ description: "The key itself. Returned this once; only its hash is kept." });

export const CreatedApiKey = answerObject("CreatedApiKey", { ...apiKeyFields, key: Secret }, "A new API key.");
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const RotatedApiKey = answerObject("RotatedApiKey", { ...apiKeyFields, key: Secret }, "The key's new secret.");
export type RotatedApiKey = Static<typeof RotatedApiKey>;

export const ApiKeyList = listOf("ApiKeyList", ApiKey);

export const CreateApiKey = bodyObject(
  "CreateApiKey",
  {
    name: Name,
    project_id: Type.Optional(ProjectIdQuery),
    environment_id: Type.Optional(
      nullable({ ...EnvironmentRef, description: "The only one it sees: id or slug; the id is kept. Null: all." }),
    ),
    expires_in_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
    org_id: Type.Optional(nullable(OrgId)),
    rotation_interval_days: Type.Optional(nullable(RotationIntervalDays)),
    scopes: Type.Optional(Scopes),
  },
  "An API key to create.",
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const RotateApiKey = bodyObject(
  "RotateApiKey",
  {
    grace_period_minutes: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10_080, default: 0, description: "How long the old secret still works." }),
    ),
  },
  "How to rotate the key.",
);
export type RotateApiKey = Static<typeof RotateApiKey>;

export const ListApiKeysQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(API_KEY_STATUSES)) },
  { additionalProperties: false },
);
export type ListApiKeysQuery = Static<typeof ListApiKeysQuery>;

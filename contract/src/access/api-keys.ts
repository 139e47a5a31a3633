import Type, { type Static } from "typebox";
import { ActorId, EnvironmentRef, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { QueueName } from "../workers/queues.ts";
import { SCOPES } from "./scopes.ts";

const Scopes = nullable(
  Type.Array(oneOf(["*", ...SCOPES]), {
    minItems: 1,
    maxItems: 64,
    uniqueItems: true,
    description:
      "Scopes of the key. Null or absent: every scope its creator holds. Policies do not restrict `audit:read`: it shows every change in full.",
  }),
);
const RotationIntervalDays = Type.Integer({
  minimum: 1,
  maximum: 365,
  description: "Rotation is due after this many days.",
});
const OrgId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The project's organization. The key can then read every project of the organization.",
});

const PerMinute = (what: string) =>
  Type.Integer({ minimum: 1, maximum: 10_000_000, description: `${what} a minute with this key, on all instances.` });

const RateLimits = {
  requests_per_minute: PerMinute("Requests"),
  triggers_per_minute: PerMinute("Triggers"),
  bulk_per_minute: PerMinute("Bulk triggers"),
};
const RateLimitsInput = nullable(
  Type.Object(
    {
      requests_per_minute: Type.Optional(nullable(RateLimits.requests_per_minute)),
      triggers_per_minute: Type.Optional(nullable(RateLimits.triggers_per_minute)),
      bulk_per_minute: Type.Optional(nullable(RateLimits.bulk_per_minute)),
    },
    {
      additionalProperties: false,
      description:
        "The key's own limits, which replace those of the client address for its requests. Null or absent: those of the address.",
    },
  ),
);

const Queues = nullable(
  Type.Array(QueueName, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: "Queues that a worker with this key may serve, with the scope `runs:work`. Null: all.",
  }),
);
const WORKER_ENVIRONMENTS =
  "Environments whose runs a worker with this key may claim, with the scope `runs:work`. Null: the one of `environment_id`, or all.";

export const API_KEY_STATUSES = ["active", "expired", "revoked"] as const;

const ScopesField = nullable(Type.Array(Type.String(), { description: "Null means all scopes." }));

const apiKeyFields = {
  id: Id,
  project_id: Id,
  environment_id: nullable(Id),
  org_id: nullable(OrgId),
  name: Type.String(),
  subject: nullable(
    Type.String({
      description:
        "For a personal key, the person on whose behalf it acts, limited to their role. Null for a key of the project.",
    }),
  ),
  key_prefix: Type.String({ description: "The first 12 characters of the key." }),
  scopes: ScopesField,
  rate_limits: nullable(
    Type.Object(
      {
        requests_per_minute: nullable(RateLimits.requests_per_minute),
        triggers_per_minute: nullable(RateLimits.triggers_per_minute),
        bulk_per_minute: nullable(RateLimits.bulk_per_minute),
      },
      { description: "The key's own limits. Null: those of the client address." },
    ),
  ),
  queues: Queues,
  worker_environment_ids: nullable(Type.Array(Id, { description: WORKER_ENVIRONMENTS })),
  status: oneOf(API_KEY_STATUSES),
  expires_at: nullable(Timestamp),
  rotation_interval_days: nullable(RotationIntervalDays),
  rotated_at: Timestamp,
  rotation_due: Type.Boolean({ description: "The rotation interval has passed since the last rotation." }),
  previous_key_expires_at: nullable(Timestamp),
  last_used_at: nullable({
    ...Timestamp,
    description: "Includes use by sessions and tokens created with the key. Up to ten seconds behind.",
  }),
  created_by: Type.String(),
  created_by_id: ActorId,
  created_at: Timestamp,
  updated_at: Timestamp,
  revoked_at: nullable(Timestamp),
};

export const ApiKey = responseObject("ApiKey", apiKeyFields, "An API key, without its secret.");
export type ApiKey = Static<typeof ApiKey>;

const Secret = Type.String({ description: "The key itself. Returned only once; only its hash is stored." });

export const CreatedApiKey = responseObject("CreatedApiKey", { ...apiKeyFields, key: Secret }, "A new API key.");
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const RotatedApiKey = responseObject("RotatedApiKey", { ...apiKeyFields, key: Secret }, "The key's new secret.");
export type RotatedApiKey = Static<typeof RotatedApiKey>;

export const ApiKeyList = listOf("ApiKeyList", ApiKey);

export const CreateApiKey = bodyObject(
  "CreateApiKey",
  {
    name: Name,
    project_id: Type.Optional(ProjectIdQuery),
    environment_id: Type.Optional(
      nullable({
        ...EnvironmentRef,
        description: "Restricts the key to one environment: id or slug, stored as the id. Null: all environments.",
      }),
    ),
    expires_in_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
    org_id: Type.Optional(nullable(OrgId)),
    rotation_interval_days: Type.Optional(nullable(RotationIntervalDays)),
    scopes: Type.Optional(Scopes),
    rate_limits: Type.Optional(RateLimitsInput),
    queues: Type.Optional(Queues),
    worker_environment_ids: Type.Optional(
      nullable(
        Type.Array(EnvironmentRef, {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: `${WORKER_ENVIRONMENTS} Ids or slugs, stored as ids.`,
        }),
      ),
    ),
  },
  "Creates an API key.",
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const CreatePersonalKey = bodyObject(
  "CreatePersonalKey",
  {
    name: Name,
    project_id: Type.Optional(ProjectIdQuery),
    expires_in_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
    scopes: Type.Optional(
      nullable(
        Type.Array(oneOf(SCOPES), {
          minItems: 1,
          maxItems: 64,
          uniqueItems: true,
          description: "Scopes of the role that the key may use. Null or absent: all that the role has.",
        }),
      ),
    ),
  },
  "Creates a key that acts on behalf of the caller.",
);
export type CreatePersonalKey = Static<typeof CreatePersonalKey>;

export const UpdateApiKey = bodyObject(
  "UpdateApiKey",
  { name: Type.Optional(Name), rate_limits: Type.Optional(RateLimitsInput) },
  "The fields to change. `rate_limits` is replaced as a whole.",
);
export type UpdateApiKey = Static<typeof UpdateApiKey>;

export const RotateApiKey = bodyObject(
  "RotateApiKey",
  {
    grace_period_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        default: 0,
        description: "How many minutes the old secret stays valid.",
      }),
    ),
  },
  "Rotates the key's secret.",
);
export type RotateApiKey = Static<typeof RotateApiKey>;

export const ListApiKeysQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(oneOf(API_KEY_STATUSES)),
    subject: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "The personal keys of a person." }),
    ),
  },
  { additionalProperties: false },
);
export type ListApiKeysQuery = Static<typeof ListApiKeysQuery>;

export const ListPersonalKeysQuery = Type.Object(
  { ...paging, status: Type.Optional(oneOf(API_KEY_STATUSES)) },
  { additionalProperties: false },
);
export type ListPersonalKeysQuery = Static<typeof ListPersonalKeysQuery>;

import Type, { type Static } from "typebox";
import { Tags } from "../runs/runs.ts";
import { Id, KEY_PATTERN, ProjectIdQuery, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";

/** Everything a token can be allowed: to read, to start a run, to send an event. */
export const TOKEN_SCOPES = ["runs:read", "workflows:read", "events:read", "jobs:trigger", "events:send"] as const;
export const MAX_TOKEN_SECS = 3_600;
const MAX_TOKEN_OBJECTS = 50;

const Ids = Type.Array(Id, { minItems: 1, maxItems: MAX_TOKEN_OBJECTS, uniqueItems: true });
const TokenTags = Type.Record(Type.String({ pattern: KEY_PATTERN }), Type.String({ maxLength: 256 }), {
  minProperties: 1,
  maxProperties: 5,
  additionalProperties: false,
});
const TokenScope = oneOf(TOKEN_SCOPES);

export const CreateToken = bodyObject(
  "CreateToken",
  {
    project_id: Type.Optional(ProjectIdQuery),
    scopes: Type.Array(TokenScope, {
      minItems: 1,
      maxItems: TOKEN_SCOPES.length,
      uniqueItems: true,
      description: "Must be scopes that you hold yourself.",
    }),
    run_ids: Type.Optional(Ids),
    workflow_run_ids: Type.Optional(Ids),
    tags: Type.Optional(TokenTags),
    ttl_secs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOKEN_SECS, default: MAX_TOKEN_SECS })),
  },
  "Creates a scoped token, for example for a browser. It covers the given runs and workflow runs (including the runs of their steps), or everything with the given tags.",
);
export type CreateToken = Static<typeof CreateToken>;

export const Token = responseObject(
  "Token",
  {
    token: Type.String({ description: "Send it as a bearer token, or on streams as `?token=`. It is not stored." }),
    scopes: Type.Array(TokenScope),
    run_ids: nullable(Type.Array(Id)),
    workflow_run_ids: nullable(Type.Array(Id)),
    tags: nullable(Tags),
    expires_at: Timestamp,
  },
  "A scoped token: restricted and short-lived. It becomes invalid with the API key that created it.",
);
export type Token = Static<typeof Token>;

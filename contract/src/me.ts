import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { nullable, oneOf, responseObject } from "./schema.ts";

export const CALLER_KINDS = ["internal_secret", "api_key", "member"] as const;

const Kind = oneOf(CALLER_KINDS, "The kind of credential that the caller used.");

export const Me = responseObject(
  "Me",
  {
    kind: Kind,
    project_id: nullable(Id),
    environment_id: nullable(Id),
    org_id: nullable(Type.String()),
    key_id: nullable(Id),
    subject: nullable(Type.String({ description: "For a member: `sub` of the OIDC token." })),
    name: nullable(Type.String()),
    scopes: nullable(Type.Array(Type.String(), { description: "Scopes as granted. Null means all scopes." })),
    permissions: Type.Array(Type.String(), { description: "Every scope that the caller holds." }),
    session_expires_at: nullable(Timestamp),
  },
  "The caller and its permissions.",
);
export type Me = Static<typeof Me>;

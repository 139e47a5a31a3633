import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";

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
    subject: nullable(Type.String({ description: "For a member: the subject of their memberships." })),
    name: nullable(Type.String()),
    scopes: nullable(Type.Array(Type.String(), { description: "Scopes as granted. Null means all scopes." })),
    permissions: Type.Array(Type.String(), {
      description: "Every scope that the caller holds. Those of a member depend on the project: see `memberships`.",
    }),
    memberships: Type.Array(
      Type.Object({
        ...{ member_id: Id, project_id: Id, project_slug: Type.String(), role_name: Type.String() },
        permissions: Type.Array(Type.String(), { description: "Every scope that the member holds in the project." }),
      }),
      { description: "For a member: the projects and what the member may do there, at most 100. Else empty." },
    ),
    session_expires_at: nullable(Timestamp),
  },
  "The caller and its permissions.",
);
export type Me = Static<typeof Me>;

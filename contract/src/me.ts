import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

export const CALLER_KINDS = ["internal_secret", "api_key", "member"] as const;

const Kind = oneOf(CALLER_KINDS, "What the caller showed.");

export const Me = answerObject(
  "Me",
  {
    kind: Kind,
    project_id: nullable(Id),
    environment_id: nullable(Id),
    org_id: nullable(Type.String()),
    key_id: nullable(Id),
    subject: nullable(Type.String({ description: "Of a member: `sub` of the OIDC token." })),
    name: nullable(Type.String()),
    scopes: nullable(Type.Array(Type.String(), { description: "As granted; null: all." })),
    permissions: Type.Array(Type.String(), { description: "Every single scope the caller holds." }),
    session_expires_at: nullable(Timestamp),
  },
  "Who is asking, and what they may do.",
);
export type Me = Static<typeof Me>;

import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Email, Password, Totp } from "./account.ts";
import { CALLER_KINDS } from "./me.ts";

const Credential = Type.String({ minLength: 1, maxLength: 512 });

export const CreateSession = bodyObject(
  "CreateSession",
  {
    api_key: Type.Optional(Credential),
    internal_secret: Type.Optional(Credential),
    code: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Code from a one-time sign-in link." }),
    ),
    email: Type.Optional(Email),
    password: Type.Optional(Password),
    totp: Type.Optional(Totp),
  },
  "Exactly one credential to exchange for a session cookie: `api_key`, `internal_secret`, `code`, or `email` with `password`.",
);
export type CreateSession = Static<typeof CreateSession>;

export const Session = responseObject(
  "Session",
  {
    kind: oneOf(CALLER_KINDS),
    project_id: nullable(Id),
    key_id: nullable(Id),
    expires_at: Timestamp,
    sign_out_url: nullable(
      Type.String({ description: "Where the identity provider ends its own session, after this one was deleted." }),
    ),
  },
  "A dashboard session. Its token is in the HttpOnly cookie.",
);
export type Session = Static<typeof Session>;

import Type, { type Static } from "typebox";
import { ActorId, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, responseObject } from "../schema/schema.ts";
import { Email, NewPassword, Totp } from "./account.ts";

export const Invitation = responseObject(
  "Invitation",
  {
    id: Id,
    project_id: Id,
    email: Type.String(),
    role_id: Id,
    url: nullable(Type.String({ description: "The link for the person. Shown once, when the invitation is created." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  "A link with which a person creates a local account and joins the project. It works once.",
);
export type Invitation = Static<typeof Invitation>;
export const InvitationList = listOf("InvitationList", Invitation);

export const CreateInvitation = bodyObject(
  "CreateInvitation",
  {
    project_id: Type.Optional(ProjectIdQuery),
    email: Email,
    role_id: Type.String({ minLength: 1, maxLength: 200, description: "Id or name of a role." }),
    expires_in_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 720, description: "Default: 72." })),
  },
  "Invites a person by e-mail address.",
);
export type CreateInvitation = Static<typeof CreateInvitation>;

export const AcceptInvitation = bodyObject(
  "AcceptInvitation",
  {
    token: Type.String({ minLength: 1, maxLength: 200, description: "From the link." }),
    name: Type.Optional(Name),
    password: NewPassword,
    totp: Type.Optional(Totp),
  },
  "Sets the password of a new account, or proves that of the account that the person has.",
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const ListInvitationsQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListInvitationsQuery = Static<typeof ListInvitationsQuery>;

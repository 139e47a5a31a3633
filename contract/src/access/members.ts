import Type, { type Static } from "typebox";
import { ActorId, Id, inWords, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const SUBJECT_PATTERN = inWords(
  "^[\\x21-\\x7e]+( [\\x21-\\x7e]+)*$",
  "must be printable ASCII characters, without leading, trailing or repeated spaces",
);

const Subject = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: SUBJECT_PATTERN,
  description:
    "The person: `sub` of the tokens of `OIDC_ISSUER`, `<provider>:<sub>` for another provider, `local:<id>` for a local account.",
});
const RoleRef = Type.String({ minLength: 1, maxLength: 200, description: "Id or name of a role." });

export const Member = responseObject(
  "Member",
  {
    id: Id,
    project_id: Id,
    subject: Type.String(),
    name: nullable(Type.String()),
    role_id: Id,
    role_name: Type.String(),
    by_rule: Type.Boolean({ description: "A sign-in rule of the settings assigned the role, and may change it." }),
    last_seen_at: nullable(Timestamp),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A person in a project, and the role that defines their permissions.",
);
export type Member = Static<typeof Member>;
export const MemberList = listOf("MemberList", Member);

const assignment = { subject: Subject, role_id: RoleRef, name: Type.Optional(nullable(Name)) };

export const AssignMember = bodyObject(
  "AssignMember",
  { project_id: Type.Optional(ProjectIdQuery), ...assignment },
  "Assigns a role to a person. The role of an existing member is replaced.",
);
export type AssignMember = Static<typeof AssignMember>;

export const AssignMembers = bodyObject(
  "AssignMembers",
  {
    project_id: Type.Optional(ProjectIdQuery),
    members: Type.Array(
      // Validated per item, so that one invalid member does not prevent the others from being assigned.
      Type.Object(
        { subject: Type.String(), role_id: Type.String(), name: Type.Optional(nullable(Type.String())) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  "Up to 100 people and their roles.",
);
export type AssignMembers = Static<typeof AssignMembers>;

export const MemberResults = responseObject(
  "MemberResults",
  {
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        subject: Type.String(),
        member_id: nullable(Id),
        status: oneOf(["created", "updated", "unchanged", "failed"]),
        error: nullable(Type.String()),
      }),
    ),
  },
  "The result for each member, in request order.",
);
export type MemberResults = Static<typeof MemberResults>;

export const TransferAdmin = bodyObject(
  "TransferAdmin",
  {
    project_id: Type.Optional(ProjectIdQuery),
    member_id: { ...Id, description: "The member who becomes an administrator." },
    role_id: Type.Optional({
      ...RoleRef,
      description: "Id or name of the role that the caller keeps. Default: `operator`.",
    }),
  },
  "Transfers the caller's role `admin` to another member.",
);
export type TransferAdmin = Static<typeof TransferAdmin>;

export const ListMembersQuery = Type.Object(
  { ...paging, role_id: Type.Optional(RoleRef), subject: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
  { additionalProperties: false },
);
export type ListMembersQuery = Static<typeof ListMembersQuery>;

const MemberSession = Type.Object({
  id: Id,
  provider: nullable(Type.String({ description: "The identity provider. Null: a local account." })),
  ip: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  expires_at: Timestamp,
  is_current: Type.Boolean({ description: "Whether it is the session of this request." }),
});
export type MemberSession = Static<typeof MemberSession>;

export const MemberSessions = responseObject(
  "MemberSessions",
  { sessions: Type.Array(MemberSession, { maxItems: 100 }) },
  "Where a person is signed in to the dashboard, newest first, at most 100.",
);
export type MemberSessions = Static<typeof MemberSessions>;

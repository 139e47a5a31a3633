import Type, { type Static } from "typebox";
import { Id, inWords, Name, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

export const SUBJECT_PATTERN = inWords(
  "^[\\x21-\\x7e]+( [\\x21-\\x7e]+)*$",
  "must be printable ASCII characters, without blanks at the ends or two in a row",
);

const Subject = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: SUBJECT_PATTERN,
  description: "`sub` of the tokens that the identity provider gives to this person.",
});
const RoleRef = Type.String({ minLength: 1, maxLength: 200, description: "Id or name of a role." });

export const Member = answerObject(
  "Member",
  {
    id: Id,
    project_id: Id,
    subject: Type.String(),
    name: nullable(Type.String()),
    role_id: Id,
    role_name: Type.String(),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A person in a project, with the role that says what they may do.",
);
export type Member = Static<typeof Member>;
export const MemberList = listOf("MemberList", Member);

const assignment = { subject: Subject, role_id: RoleRef, name: Type.Optional(nullable(Name)) };

export const AssignMember = bodyObject(
  "AssignMember",
  { project_id: Type.Optional(ProjectIdQuery), ...assignment },
  "A person and a role. Who is a member already gets the new role.",
);
export type AssignMember = Static<typeof AssignMember>;

export const AssignMembers = bodyObject(
  "AssignMembers",
  {
    project_id: Type.Optional(ProjectIdQuery),
    members: Type.Array(
      // What is wrong with one of them is told as its result: the others are assigned.
      Type.Object(
        { subject: Type.String(), role_id: Type.String(), name: Type.Optional(nullable(Type.String())) },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  "Up to a hundred people with their roles.",
);
export type AssignMembers = Static<typeof AssignMembers>;

export const MemberResults = answerObject(
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
  "What became of each, in the order they were sent.",
);
export type MemberResults = Static<typeof MemberResults>;

export const ListMembersQuery = Type.Object(
  { ...paging, role_id: Type.Optional(RoleRef), subject: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) },
  { additionalProperties: false },
);
export type ListMembersQuery = Static<typeof ListMembersQuery>;

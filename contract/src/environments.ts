import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, inWords, Name, ProjectIdQuery, paging, Slug, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable } from "./schema.ts";

const Variables = Type.Record(
  Type.String({
    pattern: inWords(
      "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
      "must be up to 128 letters, digits and underscores, and not begin with a digit",
    ),
  }),
  Type.String({ maxLength: 32_768 }),
  {
    maxProperties: 200,
    additionalProperties: false,
    description: "Handed to every run of the environment. Encrypted at rest.",
  },
);

const environmentFields = {
  id: Id,
  project_id: Id,
  name: Type.String(),
  slug: Slug,
  is_standard: Type.Boolean({ description: "production, staging, development: born with the project, not deletable." }),
  parent_id: nullable(Id),
  variables: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Environment = answerObject(
  "Environment",
  environmentFields,
  "Where runs happen, and with which variables.",
);
export type Environment = Static<typeof Environment>;

export const ResolvedEnvironment = answerObject(
  "ResolvedEnvironment",
  {
    ...environmentFields,
    resolved_variables: Type.Record(Type.String(), Type.String(), {
      description: "Its own variables over those of its parents: what a run receives.",
    }),
  },
  "An environment with the variables a run in it receives.",
);
export type ResolvedEnvironment = Static<typeof ResolvedEnvironment>;

export const EnvironmentList = listOf("EnvironmentList", Environment);

const ParentRef = nullable({
  ...EnvironmentRef,
  description: "Whose variables it inherits: id or slug; the id is kept.",
});

export const CreateEnvironment = bodyObject(
  "CreateEnvironment",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    slug: Type.Optional(Slug),
    parent_id: Type.Optional(ParentRef),
    variables: Type.Optional(Variables),
  },
  "An environment to create. Without `slug` one is made from the name.",
);
export type CreateEnvironment = Static<typeof CreateEnvironment>;

export const UpdateEnvironment = bodyObject(
  "UpdateEnvironment",
  {
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    parent_id: Type.Optional(ParentRef),
    variables: Type.Optional(Variables),
  },
  "The fields to change. `variables` replaces the whole object.",
);
export type UpdateEnvironment = Static<typeof UpdateEnvironment>;

export const ListEnvironmentsQuery = Type.Object(paging, { additionalProperties: false });
export type ListEnvironmentsQuery = Static<typeof ListEnvironmentsQuery>;

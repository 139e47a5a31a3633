import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, inWords, Name, ProjectIdQuery, paging, Slug, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, responseObject } from "../schema/schema.ts";

const Variables = Type.Record(
  Type.String({
    pattern: inWords(
      "^[A-Za-z_][A-Za-z0-9_]{0,127}$",
      "must be up to 128 letters, digits and underscores, and must not start with a digit",
    ),
  }),
  Type.String({ maxLength: 32_768 }),
  {
    maxProperties: 200,
    additionalProperties: false,
    description: "Passed to every run in the environment. Encrypted at rest.",
  },
);

const environmentFields = {
  id: Id,
  project_id: Id,
  name: Type.String(),
  slug: Slug,
  is_standard: Type.Boolean({
    description: "True for production, staging and development, which every project has and which cannot be deleted.",
  }),
  parent_id: nullable(Id),
  variables: Type.Record(Type.String(), Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Environment = responseObject(
  "Environment",
  environmentFields,
  "An environment that runs execute in, with its variables.",
);
export type Environment = Static<typeof Environment>;

export const ResolvedEnvironment = responseObject(
  "ResolvedEnvironment",
  {
    ...environmentFields,
    resolved_variables: Type.Record(Type.String(), Type.String(), {
      description: "The variables a run receives: the environment's own, merged over those of its parents.",
    }),
  },
  "An environment with the variables that its runs receive.",
);
export type ResolvedEnvironment = Static<typeof ResolvedEnvironment>;

export const EnvironmentList = listOf("EnvironmentList", Environment);

const ParentRef = nullable({
  ...EnvironmentRef,
  description: "Parent whose variables are inherited: id or slug, stored as the id.",
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
  "Creates an environment. Default for `slug`: derived from the name.",
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
  "The fields to change. `variables` is replaced as a whole.",
);
export type UpdateEnvironment = Static<typeof UpdateEnvironment>;

export const ListEnvironmentsQuery = Type.Object(paging, { additionalProperties: false });
export type ListEnvironmentsQuery = Static<typeof ListEnvironmentsQuery>;

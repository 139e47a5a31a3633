import Type, { type Static } from "typebox";
import { Id, Name, ProjectIdQuery, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, responseObject } from "../schema/schema.ts";

const MAX_MANAGED_OBJECTS = 5_000;

const ManagedObject = Type.Object(
  {
    owner: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Name of the configuration that manages the object.",
    }),
    kind: Type.String({ minLength: 1, maxLength: 40, description: "Kind of the object, such as `job`." }),
    key: Type.String({ minLength: 1, maxLength: 3_000, description: "What identifies it in a configuration." }),
  },
  { additionalProperties: false },
);
export type ManagedObject = Static<typeof ManagedObject>;

const Objects = Type.Array(ManagedObject, {
  maxItems: MAX_MANAGED_OBJECTS,
  description: "The objects that are managed as code. `millrace apply --prune` deletes no others.",
});
const Revision = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: "Raised by every change; 0 before the first. A change must name the current one.",
});

export const ProjectConfig = responseObject(
  "ProjectConfig",
  {
    project_id: Id,
    revision: Revision,
    objects: Objects,
    applying_by: nullable(Type.String({ description: "Who is applying a configuration. Null: nobody." })),
    applying_until: nullable({
      ...Timestamp,
      description: "Until then others should wait. Renewed while the configuration is applied.",
    }),
    updated_by: nullable(Type.String({ description: "Null if nothing has been applied." })),
    updated_at: nullable(Timestamp),
  },
  "Which objects of the project are managed as code, and whether a configuration is being applied.",
);
export type ProjectConfig = Static<typeof ProjectConfig>;

export const PutProjectConfig = bodyObject(
  "PutProjectConfig",
  {
    project_id: Type.Optional(ProjectIdQuery),
    revision: Revision,
    objects: Objects,
    applying_by: Type.Optional(nullable(Name)),
    applying_secs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600,
        default: 60,
        description: "With `applying_by`: how long others should wait, unless it is renewed.",
      }),
    ),
  },
  "Replaces the list, if `revision` is still the current one. With `applying_by`, takes or renews the lock of an apply; without, releases it.",
);
export type PutProjectConfig = Static<typeof PutProjectConfig>;

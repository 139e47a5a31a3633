import Type, { type Static } from "typebox";
import { Description, Id, Name, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";
import { AREAS, SCOPES, type Scope } from "./scopes.ts";

/** The longest line from a role over its parents. */
export const MOST_ROLE_DEPTH = 10;

const Permission = oneOf(["*", ...SCOPES]);
const Permissions = Type.Array(Permission, {
  maxItems: 100,
  uniqueItems: true,
  description: "Scopes; `*` is all of them.",
});
const RoleRef = Type.String({ minLength: 1, maxLength: 200, description: "Id or name of a role." });

type SystemRole = { id: string; name: string; description: string; permissions: readonly string[] };

const reads: Scope[] = AREAS.map((area): Scope => `${area}:read`);
const starts: Scope[] = ["jobs:trigger", "workflows:trigger", "events:send"];

/** They are the same in every project, and cannot be changed. */
export const SYSTEM_ROLES: readonly SystemRole[] = [
  {
    id: "01900000-0000-7000-8000-000000000001",
    name: "admin",
    description: "Everything.",
    permissions: ["*"],
  },
  {
    id: "01900000-0000-7000-8000-000000000002",
    name: "operator",
    description: "Sees everything and runs it: jobs, workflows, runs, events and deliveries, but not who may do what.",
    permissions: [
      ...reads,
      ...starts,
      ...(["jobs", "runs", "workflows", "events", "webhooks", "drains"] as const).map((area): Scope => `${area}:write`),
    ],
  },
  {
    id: "01900000-0000-7000-8000-000000000003",
    name: "viewer",
    description: "Sees everything and changes nothing.",
    permissions: reads,
  },
  {
    id: "01900000-0000-7000-8000-000000000004",
    name: "triggerer",
    description: "Starts jobs and workflows, sends events, and sees what becomes of them.",
    permissions: ["jobs:read", "workflows:read", "runs:read", "events:read", ...starts],
  },
];

const RoleInLineage = Type.Object({
  id: Id,
  name: Type.String(),
  permissions: Type.Array(Type.String()),
  is_system: Type.Boolean(),
});

const EffectivePermission = Type.Object({
  permission: Type.String(),
  granted_by: Type.String({ description: "The name of the role that holds it." }),
  path: Type.Array(Type.String(), { description: "Names of the roles from this one to that one." }),
});

export const Role = answerObject(
  "Role",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    description: nullable(Type.String()),
    permissions: Type.Array(Type.String(), { description: "Its own; those of its parents come on top." }),
    parent_role_id: nullable(Id),
    is_system: Type.Boolean({ description: "Part of the service: the same in every project." }),
    lineage: nullable(
      Type.Array(RoleInLineage, { description: "With `include_lineage=true`: this role, its parent, and so on." }),
    ),
    effective_permissions: nullable(
      Type.Array(EffectivePermission, { description: "With `include_lineage=true`: all that it grants, and whence." }),
    ),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "What a member may do.",
);
export type Role = Static<typeof Role>;
export const RoleList = listOf("RoleList", Role);

const fields = {
  description: Type.Optional(nullable(Description)),
  parent_role_id: Type.Optional(nullable(RoleRef)),
};

export const CreateRole = bodyObject(
  "CreateRole",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Name,
    permissions: Type.Optional(Permissions),
    ...fields,
  },
  "A role to create. It grants what its parent grants, and its own permissions.",
);
export type CreateRole = Static<typeof CreateRole>;

export const UpdateRole = bodyObject(
  "UpdateRole",
  { name: Type.Optional(Name), permissions: Type.Optional(Permissions), ...fields },
  "The fields to change. They act at once for all who have the role.",
);
export type UpdateRole = Static<typeof UpdateRole>;

export const GetRoleQuery = Type.Object(
  {
    include_lineage: Type.Optional(
      Type.Boolean({ description: "Show its parents, and whence each permission comes." }),
    ),
  },
  { additionalProperties: false },
);
export type GetRoleQuery = Static<typeof GetRoleQuery>;

export const ListRolesQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListRolesQuery = Static<typeof ListRolesQuery>;

import Type, { type Static } from "typebox";
import { ActorId, Description, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { AREAS, SCOPES, type Scope } from "./scopes.ts";

/** Maximum length of a chain of parent roles. */
export const MAX_ROLE_DEPTH = 10;

const Permission = oneOf(["*", ...SCOPES]);
const Permissions = Type.Array(Permission, {
  maxItems: 100,
  uniqueItems: true,
  description: "Scopes, or `*` for all of them.",
});
const RoleRef = Type.String({ minLength: 1, maxLength: 200, description: "Id or name of a role." });

type SystemRole = { id: string; name: string; description: string; permissions: readonly string[] };

const reads: Scope[] = AREAS.map((area): Scope => `${area}:read`);
const starts: Scope[] = ["jobs:trigger", "workflows:trigger", "events:send"];

export const ADMIN_ROLE_ID = "01900000-0000-7000-8000-000000000001";

/** System roles are the same in every project and cannot be changed. */
export const SYSTEM_ROLES: readonly SystemRole[] = [
  {
    id: ADMIN_ROLE_ID,
    name: "admin",
    description: "Everything.",
    permissions: ["*"],
  },
  {
    id: "01900000-0000-7000-8000-000000000002",
    name: "operator",
    description:
      "Read access to everything; can operate jobs, workflows, runs, events and deliveries, but not manage access.",
    permissions: [
      ...reads,
      ...starts,
      ...(["jobs", "runs", "workflows", "events", "webhooks", "drains"] as const).map((area): Scope => `${area}:write`),
    ],
  },
  {
    id: "01900000-0000-7000-8000-000000000003",
    name: "viewer",
    description: "Read-only access to everything.",
    permissions: reads,
  },
  {
    id: "01900000-0000-7000-8000-000000000004",
    name: "triggerer",
    description: "Can start jobs and workflows, send events, and see the results.",
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
  granted_by: Type.String({ description: "Name of the role that grants it." }),
  path: Type.Array(Type.String(), { description: "Names of the roles from this one to the granting role." }),
});

export const Role = responseObject(
  "Role",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    description: nullable(Type.String()),
    permissions: Type.Array(Type.String(), {
      description: "The role's own permissions, in addition to those of its parents.",
    }),
    parent_role_id: nullable(Id),
    is_system: Type.Boolean({ description: "True for built-in roles, which every project has." }),
    lineage: nullable(
      Type.Array(RoleInLineage, { description: "With `include_lineage=true`: this role, its parent, and so on." }),
    ),
    effective_permissions: nullable(
      Type.Array(EffectivePermission, {
        description: "With `include_lineage=true`: all permissions that the role grants, and their origin.",
      }),
    ),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "A set of permissions for members.",
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
  "Creates a role. It grants its own permissions and those of its parent.",
);
export type CreateRole = Static<typeof CreateRole>;

export const UpdateRole = bodyObject(
  "UpdateRole",
  { name: Type.Optional(Name), permissions: Type.Optional(Permissions), ...fields },
  "The fields to change. They take effect immediately for all members with the role.",
);
export type UpdateRole = Static<typeof UpdateRole>;

export const GetRoleQuery = Type.Object(
  {
    include_lineage: Type.Optional(
      Type.Boolean({ description: "Include parent roles and the origin of each permission." }),
    ),
  },
  { additionalProperties: false },
);
export type GetRoleQuery = Static<typeof GetRoleQuery>;

export const ListRolesQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListRolesQuery = Static<typeof ListRolesQuery>;

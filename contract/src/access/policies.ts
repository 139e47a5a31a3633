import Type, { type Static } from "typebox";
import { ActorId, Description, Id, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { AREAS, SCOPES, type Scope } from "./scopes.ts";

export const POLICY_RESOURCES = [
  ...["*", "environment", "api_key", "job", "workflow", "run", "workflow_run", "event_trigger", "schedule"],
  ...["webhook_delivery", "webhook_subscription", "log_drain", "batch_operation"],
] as const;

const Effect = oneOf(["allow", "deny"], "`deny` overrides every scope and every `allow`.");
const Actions = Type.Array(oneOf(["*", ...AREAS.map((area) => `${area}:*`), ...SCOPES]), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: "Scopes, `<area>:*` for all scopes of an area, or `*` for all.",
});
const Subject = Type.String({
  minLength: 1,
  maxLength: 300,
  description:
    "`*`, `api_key:<id>`, `member:<subject or id>`, or `role:<id or name>` including all roles that inherit from it. The subject must exist.",
});
const ResourceType = oneOf(
  POLICY_RESOURCES,
  "A `job` includes its runs and schedules, a `workflow` its workflow runs, and an `environment` everything in it.",
);
const ResourceId = Type.String({
  minLength: 1,
  maxLength: 512,
  description:
    "An id, or `*` for every resource of the type. For a job, workflow or environment also the slug, stored as the id.",
});
const MatchesAnything = moving(
  Type.Boolean({
    description:
      "False if the policy currently has no effect: its resource was deleted, no job, workflow or recent run (of the newest 1,000) has its tag, or none of its actions applies to the resource type.",
  }),
);
const TagKey = Type.String({ minLength: 1, maxLength: 64 });
const TagValue = nullable(Type.String({ maxLength: 256, description: "Null matches any value." }));

const shared = { effect: Effect, actions: Actions, subject: Subject };
const written = { created_by: Type.String(), created_by_id: ActorId, created_at: Timestamp, updated_at: Timestamp };
const resource = { resource_type: ResourceType, resource_id: ResourceId };
const tag = { tag_key: TagKey, tag_value: TagValue };
const identity = { id: Id, project_id: Id };
const description = nullable(Type.String());

export const ResourcePolicy = responseObject(
  "ResourcePolicy",
  { ...identity, ...shared, ...resource, matches_anything: MatchesAnything, description, ...written },
  "Allows or denies actions on a resource, in addition to scopes and roles.",
);
export type ResourcePolicy = Static<typeof ResourcePolicy>;
export const ResourcePolicyList = listOf("ResourcePolicyList", ResourcePolicy);

export const TagPolicy = responseObject(
  "TagPolicy",
  { ...identity, ...shared, ...tag, matches_anything: MatchesAnything, description, ...written },
  "Allows or denies actions on everything with a tag, in addition to scopes and roles.",
);
export type TagPolicy = Static<typeof TagPolicy>;
export const TagPolicyList = listOf("TagPolicyList", TagPolicy);

const ofProject = { project_id: Type.Optional(ProjectIdQuery) };
const described = { description: Type.Optional(nullable(Description)) };

export const CreateResourcePolicy = bodyObject(
  "CreateResourcePolicy",
  { ...ofProject, ...shared, ...resource, ...described },
  "Creates a policy.",
);
export type CreateResourcePolicy = Static<typeof CreateResourcePolicy>;

export const CreateTagPolicy = bodyObject(
  "CreateTagPolicy",
  { ...ofProject, ...shared, tag_key: TagKey, tag_value: Type.Optional(TagValue), ...described },
  "Creates a policy.",
);
export type CreateTagPolicy = Static<typeof CreateTagPolicy>;

export const UpdateResourcePolicy = bodyObject(
  "UpdateResourcePolicy",
  {
    effect: Type.Optional(Effect),
    actions: Type.Optional(Actions),
    subject: Type.Optional(Subject),
    resource_type: Type.Optional(ResourceType),
    resource_id: Type.Optional(ResourceId),
    ...described,
  },
  "The fields to change. They take effect immediately.",
);
export type UpdateResourcePolicy = Static<typeof UpdateResourcePolicy>;

export const UpdateTagPolicy = bodyObject(
  "UpdateTagPolicy",
  {
    effect: Type.Optional(Effect),
    actions: Type.Optional(Actions),
    subject: Type.Optional(Subject),
    tag_key: Type.Optional(TagKey),
    tag_value: Type.Optional(TagValue),
    ...described,
  },
  "The fields to change. They take effect immediately.",
);
export type UpdateTagPolicy = Static<typeof UpdateTagPolicy>;

export const ListPoliciesQuery = Type.Object({ ...paging }, { additionalProperties: false });
export type ListPoliciesQuery = Static<typeof ListPoliciesQuery>;

export const CheckAccess = bodyObject(
  "CheckAccess",
  {
    ...ofProject,
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: "`api_key:<id>`, `member:<subject>` or `role:<id or name>`. Default: the caller.",
      }),
    ),
    action: oneOf(SCOPES as readonly Scope[]),
    resource_type: Type.Optional(ResourceType),
    resource_id: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  "Checks whether a subject may perform an action on a resource.",
);
export type CheckAccess = Static<typeof CheckAccess>;

export const AccessDecision = responseObject(
  "AccessDecision",
  {
    allowed: Type.Boolean(),
    reason: Type.String({ description: "The reason in one sentence." }),
    decided_by: oneOf(["scope", "allow_policy", "deny_policy", "environment", "nothing", "internal_secret"]),
    policy_id: nullable(Id),
    granted_by: nullable(
      Type.Array(Type.String(), {
        description: "For a member: the chain of roles from theirs to the one that grants the permission.",
      }),
    ),
  },
  "Whether the action is allowed, and why.",
);
export type AccessDecision = Static<typeof AccessDecision>;

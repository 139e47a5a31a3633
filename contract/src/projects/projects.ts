import Type, { type Static } from "typebox";
import { Description, Id, Name, NOT_BLANK, paging, Slug, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, responseObject } from "../schema/schema.ts";

const OrgId = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: NOT_BLANK,
  description: "Label that groups projects into an organization.",
});
const MaxActiveEventTriggers = Type.Integer({
  minimum: 0,
  maximum: 100_000_000,
  description: "Maximum number of waiting event triggers in this project. Null: the service-wide setting.",
});
const ComputeRate = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description: "Compute cost of one second of a run, in micro-USD.",
});

const projectFields = {
  id: Id,
  org_id: nullable(OrgId),
  slug: Slug,
  name: Type.String(),
  description: nullable(Type.String()),
  max_active_event_triggers: nullable(MaxActiveEventTriggers),
  compute_rate_microusd_per_sec: ComputeRate,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Project = responseObject("Project", projectFields, "A tenant. All other resources belong to a project.");
export type Project = Static<typeof Project>;

const WebhookSecretOnce = Type.String({ description: "Signs outgoing requests (`whsec_…`). Returned only once." });

export const CreatedProject = responseObject(
  "CreatedProject",
  { ...projectFields, webhook_secret: WebhookSecretOnce },
  "A new project and its signing secret.",
);
export type CreatedProject = Static<typeof CreatedProject>;

export const ProjectList = listOf("ProjectList", Project);

const settable = {
  slug: Type.Optional(Slug),
  org_id: Type.Optional(nullable(OrgId)),
  description: Type.Optional(nullable(Description)),
  max_active_event_triggers: Type.Optional(nullable(MaxActiveEventTriggers)),
  compute_rate_microusd_per_sec: Type.Optional(ComputeRate),
};

export const CreateProject = bodyObject(
  "CreateProject",
  {
    name: Name,
    ...settable,
  },
  "Creates a project. Default for `slug`: derived from the name.",
);
export type CreateProject = Static<typeof CreateProject>;

export const UpdateProject = bodyObject(
  "UpdateProject",
  {
    name: Type.Optional(Name),
    ...settable,
  },
  "The fields to change.",
);
export type UpdateProject = Static<typeof UpdateProject>;

export const ListProjectsQuery = Type.Object(paging, { additionalProperties: false });
export type ListProjectsQuery = Static<typeof ListProjectsQuery>;

export const RotateWebhookSecret = bodyObject(
  "RotateWebhookSecret",
  {
    grace_period_minutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_080,
        default: 0,
        description: "How many minutes requests are signed with both secrets.",
      }),
    ),
  },
  "Rotates the signing secret.",
);
export type RotateWebhookSecret = Static<typeof RotateWebhookSecret>;

export const WebhookSecret = responseObject(
  "WebhookSecret",
  { webhook_secret: WebhookSecretOnce, previous_secret_expires_at: nullable(Timestamp) },
  "The new signing secret.",
);
export type WebhookSecret = Static<typeof WebhookSecret>;

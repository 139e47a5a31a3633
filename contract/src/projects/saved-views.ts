import Type, { type Static } from "typebox";
import {
  ActorId,
  CreatedByFilter,
  Id,
  KEY_PATTERN,
  Name,
  ProjectIdQuery,
  paging,
  Timestamp,
} from "../schema/fields.ts";
import { bodyObject, listOf, oneOf, responseObject } from "../schema/schema.ts";

export const MAX_SAVED_VIEWS = 500;
const MAX_PARAMETERS = 30;

const RESOURCES = [
  "runs",
  "workflow_runs",
  "jobs",
  "workflows",
  "events",
  "webhook_deliveries",
  "logs",
  "audit_events",
  "analytics",
] as const;

const Resource = oneOf(RESOURCES, "The list that the view applies to.");
const Query = Type.Record(Type.String({ pattern: KEY_PATTERN }), Type.String({ maxLength: 4096 }), {
  maxProperties: MAX_PARAMETERS,
  additionalProperties: false,
  description: 'Query parameters of the list as strings: `{"status": "failed", "q": "tag:eu"}`. Stored unchanged.',
});

export const SavedView = responseObject(
  "SavedView",
  {
    id: Id,
    project_id: Id,
    name: Type.String(),
    resource: Resource,
    query: Query,
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Named filters of a list, shared by everyone in the project.",
);
export type SavedView = Static<typeof SavedView>;

export const SavedViewList = listOf("SavedViewList", SavedView);

export const CreateSavedView = bodyObject(
  "CreateSavedView",
  { project_id: Type.Optional(ProjectIdQuery), name: Name, resource: Resource, query: Type.Optional(Query) },
  "Saves a view. Without `query` it shows the whole list.",
);
export type CreateSavedView = Static<typeof CreateSavedView>;

export const UpdateSavedView = bodyObject(
  "UpdateSavedView",
  { name: Type.Optional(Name), query: Type.Optional(Query) },
  "The fields to change. `query` is replaced as a whole.",
);
export type UpdateSavedView = Static<typeof UpdateSavedView>;

export const ListSavedViewsQuery = Type.Object(
  {
    ...paging,
    resource: Type.Optional(Resource),
    created_by: Type.Optional(CreatedByFilter),
  },
  { additionalProperties: false },
);
export type ListSavedViewsQuery = Static<typeof ListSavedViewsQuery>;

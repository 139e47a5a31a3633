import {
  CreatedProject,
  CreateProject,
  ListProjectsQuery,
  Project,
  ProjectList,
  RotateWebhookSecret,
  UpdateProject,
  WebhookSecret,
} from "@millrace/contract/projects";
import { callerRoute, internalRoute, type Route } from "../../platform/route.ts";
import { createProject } from "./create-project.ts";
import { deleteProject } from "./delete-project.ts";
import { getProject } from "./get-project.ts";
import { listProjects } from "./list-projects.ts";
import { rotateWebhookSecret } from "./rotate-webhook-secret.ts";
import { updateProject } from "./update-project.ts";

export const projectRoutes: Route[] = [
  internalRoute({
    method: "POST",
    path: "/v1/projects",
    summary: "Create a project",
    body: CreateProject,
    response: CreatedProject,
    status: 201,
    errors: ["slug_taken"],
    run: (ctx, { body }) => createProject(ctx, body),
  }),
  callerRoute({
    method: "GET",
    path: "/v1/projects",
    summary: "List the projects the caller may read",
    scope: "projects:read",
    query: ListProjectsQuery,
    response: ProjectList,
    run: (ctx, { query }) => listProjects(ctx, query),
  }),
  callerRoute({
    method: "GET",
    path: "/v1/projects/{projectID}",
    summary: "Get a project by id or slug",
    scope: "projects:read",
    response: Project,
    run: (ctx, { params }) => getProject(ctx, params.projectID),
  }),
  callerRoute({
    method: "PATCH",
    path: "/v1/projects/{projectID}",
    summary: "Update a project",
    scope: "projects:write",
    body: UpdateProject,
    response: Project,
    errors: ["slug_taken"],
    run: (ctx, { params, body }) => updateProject(ctx, params.projectID, body),
  }),
  internalRoute({
    method: "DELETE",
    path: "/v1/projects/{projectID}",
    summary: "Delete a project and its keys",
    run: (ctx, { params }) => deleteProject(ctx, params.projectID),
  }),
  callerRoute({
    method: "POST",
    path: "/v1/projects/{projectID}/webhook-secret/rotate",
    summary: "Rotate the secret that signs outgoing requests",
    scope: "projects:write",
    body: RotateWebhookSecret,
    response: WebhookSecret,
    run: (ctx, { params, body }) => rotateWebhookSecret(ctx, params.projectID, body),
  }),
];

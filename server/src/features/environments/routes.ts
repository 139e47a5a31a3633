import {
  CreateEnvironment,
  Environment,
  EnvironmentList,
  ListEnvironmentsQuery,
  ResolvedEnvironment,
  UpdateEnvironment,
} from "@millrace/contract/environments";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createEnvironment } from "./create-environment.ts";
import { deleteEnvironment } from "./delete-environment.ts";
import { getEnvironment } from "./get-environment.ts";
import { listEnvironments } from "./list-environments.ts";
import { updateEnvironment } from "./update-environment.ts";

const foundBy = { table: "environments", param: "envID" } as const;

export const environmentRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/environments",
    summary: "Create an environment",
    scope: "environments:write",
    body: CreateEnvironment,
    response: Environment,
    status: 201,
    errors: ["environment_cycle", "slug_taken"],
    run: (ctx, { body }) => createEnvironment(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/environments",
    summary: "List environments",
    scope: "environments:read",
    query: ListEnvironmentsQuery,
    response: EnvironmentList,
    run: (ctx, { query }) => listEnvironments(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/environments/{envID}",
    summary: "Get an environment with the variables it inherits",
    scope: "environments:read",
    foundBy,
    response: ResolvedEnvironment,
    run: (ctx, { params }) => getEnvironment(ctx, params.envID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/environments/{envID}",
    summary: "Update an environment",
    scope: "environments:write",
    foundBy,
    body: UpdateEnvironment,
    response: ResolvedEnvironment,
    errors: ["environment_cycle", "environment_is_standard", "slug_taken"],
    run: (ctx, { params, body }) => updateEnvironment(ctx, params.envID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/environments/{envID}",
    summary: "Delete an environment that nothing depends on",
    scope: "environments:write",
    foundBy,
    errors: ["environment_in_use", "environment_is_standard"],
    run: (ctx, { params }) => deleteEnvironment(ctx, params.envID),
  }),
];

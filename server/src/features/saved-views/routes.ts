import {
  CreateSavedView,
  ListSavedViewsQuery,
  SavedView,
  SavedViewList,
  UpdateSavedView,
} from "@millrace/contract/saved-views";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createView } from "./create-view.ts";
import { deleteView } from "./delete-view.ts";
import { getView } from "./get-view.ts";
import { listViews } from "./list-views.ts";
import { updateView } from "./update-view.ts";

const foundBy = { table: "saved_views", param: "viewID" } as const;

export const savedViewRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/saved-views",
    summary: "Create a saved view: the filters of a list, under a name",
    scope: "analytics:write",
    body: CreateSavedView,
    response: SavedView,
    status: 201,
    errors: ["conflict"],
    run: (ctx, { body }) => createView(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/saved-views",
    summary: "List saved views",
    scope: "analytics:read",
    query: ListSavedViewsQuery,
    response: SavedViewList,
    run: (ctx, { query }) => listViews(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/saved-views/{viewID}",
    summary: "Get a saved view",
    scope: "analytics:read",
    foundBy,
    response: SavedView,
    run: (ctx, { params }) => getView(ctx, params.viewID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/saved-views/{viewID}",
    summary: "Update a saved view",
    scope: "analytics:write",
    foundBy,
    body: UpdateSavedView,
    response: SavedView,
    run: (ctx, { params, body }) => updateView(ctx, params.viewID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/saved-views/{viewID}",
    summary: "Delete a saved view",
    scope: "analytics:write",
    foundBy,
    run: (ctx, { params }) => deleteView(ctx, params.viewID),
  }),
];

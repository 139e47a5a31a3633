import {
  CreateLogDrain,
  ListLogDrainsQuery,
  LogDrain,
  LogDrainList,
  LogDrainTest,
  UpdateLogDrain,
} from "@millrace/contract/deliveries/log-drains";
import { projectRoute, type Route } from "../../platform/route.ts";
import { drainIssues } from "./check-drain.ts";
import { createDrain } from "./create-drain.ts";
import { deleteDrain } from "./delete-drain.ts";
import { getDrain } from "./get-drain.ts";
import { listDrains } from "./list-drains.ts";
import { testDrain } from "./test-drain.ts";
import { updateDrain } from "./update-drain.ts";

const foundBy = { table: "log_drains", param: "drainID" } as const;

export const logDrainRoutes: Route[] = [
  projectRoute("POST /v1/log-drains", {
    summary: "Create a log drain",
    scope: "drains:write",
    body: CreateLogDrain,
    semanticValidation: drainIssues,
    response: LogDrain,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createDrain(ctx, body),
  }),
  projectRoute("GET /v1/log-drains", {
    summary: "List log drains",
    scope: "drains:read",
    query: ListLogDrainsQuery,
    response: LogDrainList,
    run: (ctx, { query }) => listDrains(ctx, query),
  }),
  projectRoute("GET /v1/log-drains/{drainID}", {
    summary: "Get a log drain",
    scope: "drains:read",
    foundBy,
    response: LogDrain,
    run: (ctx, { params }) => getDrain(ctx, params.drainID),
  }),
  projectRoute("PATCH /v1/log-drains/{drainID}", {
    summary: "Update a log drain",
    scope: "drains:write",
    foundBy,
    body: UpdateLogDrain,
    semanticValidation: drainIssues,
    response: LogDrain,
    errors: ["grant_too_wide"],
    run: (ctx, { params, body }) => updateDrain(ctx, params.drainID, body),
  }),
  projectRoute("DELETE /v1/log-drains/{drainID}", {
    summary: "Delete a log drain",
    scope: "drains:write",
    foundBy,
    run: (ctx, { params }) => deleteDrain(ctx, params.drainID),
  }),
  projectRoute("POST /v1/log-drains/{drainID}/test", {
    summary: "Send a test record to a log drain",
    scope: "drains:write",
    foundBy,
    response: LogDrainTest,
    run: (ctx, { params }) => testDrain(ctx, params.drainID),
  }),
];

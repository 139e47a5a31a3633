import { MigrateRuns, RunsMigration } from "@millrace/contract/migrate-runs";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { migrateRuns } from "./migrate-runs.ts";

export const migrateRunsRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/workflows/{workflowID}/migrate-runs",
    summary: "Migrate runs in flight to another version, or preview the migration",
    scope: "workflows:write",
    foundBy: { table: "workflows", param: "workflowID" },
    body: MigrateRuns,
    response: RunsMigration,
    run: (ctx, { params, body }) => migrateRuns(ctx, params.workflowID, body),
  }),
];

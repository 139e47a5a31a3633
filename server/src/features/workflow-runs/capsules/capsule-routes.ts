import { CapsuleList, CapsuleSummary, ListCapsulesQuery, RunCapsule } from "@millrace/contract/capsules";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { deleteCapsule } from "./capsule-delete.ts";
import { exportCapsule } from "./capsule-export.ts";
import { getCapsule } from "./capsule-get.ts";
import { importCapsule } from "./capsule-import.ts";
import { listCapsules } from "./capsule-list.ts";

/** Sent as plain text: serialization by a schema would not preserve every byte. */
const produces = "application/vnd.millrace.run-capsule+json";
const foundBy = { table: "run_capsules", param: "capsuleID" } as const;

export const capsuleRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/{workflowRunID}/capsule",
    summary: "Export a complete workflow run as a RunCapsule",
    scope: "workflows:read",
    foundBy: { table: "workflow_runs", param: "workflowRunID" },
    produces,
    producesSchema: RunCapsule,
    run: (ctx, { params }) => exportCapsule(ctx, params.workflowRunID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/workflow-runs/capsules",
    summary: "Import a capsule to inspect its run and replay it",
    scope: "workflows:write",
    body: RunCapsule,
    response: CapsuleSummary,
    status: 201,
    run: (ctx, { body }) => importCapsule(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/capsules",
    summary: "List imported capsules",
    scope: "workflows:read",
    query: ListCapsulesQuery,
    response: CapsuleList,
    run: (ctx, { query }) => listCapsules(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/workflow-runs/capsules/{capsuleID}",
    summary: "Get an imported capsule, byte for byte as it was exported",
    scope: "workflows:read",
    foundBy,
    produces,
    producesSchema: RunCapsule,
    run: (ctx, { params }) => getCapsule(ctx, params.capsuleID),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/workflow-runs/capsules/{capsuleID}",
    summary: "Delete an imported capsule",
    scope: "workflows:write",
    foundBy,
    run: (ctx, { params }) => deleteCapsule(ctx, params.capsuleID),
  }),
];

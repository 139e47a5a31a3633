import { RunDependencyStatus } from "@millrace/contract/run-dependencies";
import { RunExplanation } from "@millrace/contract/run-explanation";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getDependencyStatus } from "../get-dependency-status.ts";
import { explainRun } from "./explain-run.ts";

const foundBy = { table: "runs", param: "runID" } as const;

/** Routes that explain the state of a run. */
export const runWhyRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/dependency-status",
    summary: "Show the dependencies of a run, and whether it is unblocked",
    scope: "runs:read",
    foundBy,
    response: RunDependencyStatus,
    run: (ctx, { params }) => getDependencyStatus(ctx, params.runID),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/explain",
    summary: "Explain why a run is not running, and what would start it",
    scope: "runs:read",
    foundBy,
    response: RunExplanation,
    run: (ctx, { params }) => explainRun(ctx, params.runID),
  }),
];

import { RunCost } from "@millrace/contract/run-cost";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getRunCost } from "./get-run-cost.ts";

export const runCostRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/runs/{runID}/cost",
    summary: "Get the cost of a run: reported usage and compute",
    scope: "runs:read",
    foundBy: { table: "runs", param: "runID" },
    response: RunCost,
    run: (ctx, { params }) => getRunCost(ctx, params.runID),
  }),
];

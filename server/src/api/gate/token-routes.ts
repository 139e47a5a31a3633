import type { Route } from "../../platform/route.ts";

/**
 * The routes that a scoped token opens, if it has their scope: each reads through `visible`, which applies its limits,
 * or checks them itself. A new route is closed to tokens until it is listed here.
 */
const OPEN: ReadonlySet<string> = new Set([
  "GET /v1/runs",
  "GET /v1/runs/{runID}",
  "GET /v1/runs/{runID}/attempts",
  "GET /v1/runs/{runID}/checkpoints",
  "GET /v1/runs/{runID}/children",
  "GET /v1/runs/{runID}/logs",
  "GET /v1/runs/{runID}/outputs",
  "GET /v1/runs/{runID}/stream",
  "GET /v1/runs/{runID}/tool-calls",
  "GET /v1/runs/{runID}/transitions",
  "GET /v1/runs/{runID}/usage",
  "GET /v1/workflow-runs",
  "GET /v1/workflow-runs/{workflowRunID}",
  "GET /v1/workflow-runs/{workflowRunID}/explain",
  "GET /v1/workflow-runs/{workflowRunID}/graph",
  "GET /v1/workflow-runs/{workflowRunID}/steps",
  "GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}",
  "GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}/items",
  "GET /v1/workflow-runs/{workflowRunID}/stream",
  "GET /v1/events",
  "GET /v1/events/{eventKey}",
  "GET /v1/events/{eventKey}/stream",
  "GET /v1/stream",
  "POST /v1/jobs/{jobID}/trigger",
  "POST /v1/events/{eventKey}/send",
]);

export function isOpenToTokens({ method, path }: Pick<Route, "method" | "path">): boolean {
  return OPEN.has(`${method} ${path}`);
}

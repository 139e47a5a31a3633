import { ComputeQuery, ComputeReport } from "@millrace/contract/compute-report";
import { CostInsights, CostInsightsQuery } from "@millrace/contract/cost-insights";
import { CostReport, CostsQuery } from "@millrace/contract/cost-report";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { getCostInsights } from "../insights/cost-insights.ts";
import { getCompute } from "../reports/compute.ts";
import { getCosts } from "./costs.ts";

export const costRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/analytics/costs",
    summary: "Get the costs of the current billing period, by group",
    scope: "analytics:read",
    query: CostsQuery,
    response: CostReport,
    run: (ctx, { query }) => getCosts(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/analytics/compute",
    summary: "Get the busy time, outcomes and costs of dispatches",
    scope: "analytics:read",
    query: ComputeQuery,
    response: ComputeReport,
    run: (ctx, { query }) => getCompute(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/analytics/cost-insights",
    summary: "Get suggestions for saving costs, from the project's own runs",
    scope: "analytics:read",
    query: CostInsightsQuery,
    response: CostInsights,
    run: (ctx, { query }) => getCostInsights(ctx, query),
  }),
];

import { EndpointList, ListEndpointsQuery } from "@millrace/contract/jobs/endpoints";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPageByText } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { listEndpoints as listRows } from "./queries.ts";

export const endpointRoutes: Route[] = [
  projectRoute("GET /v1/endpoints", {
    summary: "List the hosts that jobs are dispatched to, with their health",
    scope: "jobs:read",
    query: ListEndpointsQuery,
    response: EndpointList,
    run: (ctx, { query }) => listEndpoints(ctx, query),
  }),
];

/** Sorted by host. */
async function listEndpoints(ctx: ProjectCtx, query: ListEndpointsQuery) {
  const page = readPageByText(ctx, "endpoints", { order: "asc", ...query }, "e.host");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query.state));
  return { data: data.map(({ id, created_at, ...endpoint }) => endpoint), ...rest };
}

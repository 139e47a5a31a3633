import { StreamQuery } from "@millrace/contract/deliveries/streams";
import { projectRoute, type Route } from "../../platform/route.ts";
import { streamTopics } from "./stream-topics.ts";

export const streamRoutes: Route[] = [
  projectRoute("GET /v1/stream", {
    summary: "Stream up to 50 topics as server-sent events",
    // Each topic requires its own scope.
    scope: undefined,
    streams: true,
    query: StreamQuery,
    produces: "text/event-stream",
    run: (ctx, { query, lastEventId }) => streamTopics(ctx, query, lastEventId),
  }),
];

import { Health, Readiness } from "@millrace/contract/health";
import { System } from "@millrace/contract/system";
import Type from "typebox";
import { internalRoute, operatorRoute, publicRoute, type Route } from "../../platform/route.ts";
import { checkReadiness } from "./check-readiness.ts";
import { getSchema } from "./get-schema.ts";
import { readSystem } from "./read-system.ts";

export const operationRoutes: Route[] = [
  publicRoute({
    method: "GET",
    path: "/health",
    summary: "Liveness check",
    response: Health,
    run: async () => ({ status: "ok" as const }),
  }),
  publicRoute({
    method: "GET",
    path: "/health/ready",
    summary: "Readiness check",
    response: Readiness,
    otherResponses: { 503: Readiness },
    run: (ctx, _, reply) => checkReadiness(ctx, reply),
  }),
  operatorRoute({
    method: "GET",
    path: "/metrics",
    summary: "Metrics in Prometheus text format",
    produces: "text/plain; version=0.0.4; charset=utf-8",
    run: (ctx) => ctx.metrics.registry.metrics(),
  }),
  internalRoute({
    method: "GET",
    path: "/v1/system",
    summary: "Get the current state of the service",
    response: System,
    run: (ctx) => readSystem(ctx),
  }),
  publicRoute({
    method: "GET",
    path: "/schemas/{name}",
    summary: "The JSON Schema behind a `$schema` link",
    produces: "application/schema+json",
    producesSchema: Type.Object({}),
    run: async (_, { params }) => getSchema(params.name),
  }),
];

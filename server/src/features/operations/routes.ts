import { namedSchemas } from "@millrace/contract/schema/schema";
import { Health, Readiness } from "@millrace/contract/service/health";
import { Invariants } from "@millrace/contract/service/invariants";
import { System } from "@millrace/contract/service/system";
import Type from "typebox";
import { notFound } from "../../platform/errors/errors.ts";
import { internalRoute, operatorRoute, publicRoute, type Route } from "../../platform/route.ts";
import { checkReadiness } from "./check-readiness.ts";
import { readInvariants, worstOf } from "./invariants/read-invariants.ts";
import { readSystem } from "./read-system.ts";
import { refreshState } from "./state/refresh-state.ts";

export const operationRoutes: Route[] = [
  publicRoute("GET /health", {
    summary: "Liveness check",
    response: Health,
    run: async () => ({ status: "ok" as const }),
  }),
  publicRoute("GET /health/ready", {
    summary: "Readiness check",
    response: Readiness,
    otherResponses: { 503: Readiness },
    run: (ctx, _, reply) => checkReadiness(ctx, reply),
  }),
  operatorRoute("GET /health/invariants", {
    summary: "Check that no run is lost or stuck",
    response: Invariants,
    run: async (ctx) => {
      const invariants = await readInvariants(ctx);
      return { status: worstOf(invariants), invariants };
    },
  }),
  operatorRoute("GET /metrics", {
    summary: "Metrics in Prometheus text format",
    produces: "text/plain; version=0.0.4; charset=utf-8",
    run: async (ctx) => {
      await refreshState(ctx);
      return ctx.metrics.registry.metrics();
    },
  }),
  internalRoute("GET /v1/system", {
    summary: "Get the current state of the service",
    response: System,
    run: (ctx) => readSystem(ctx),
  }),
  publicRoute("GET /schemas/{name}", {
    summary: "The JSON Schema behind a `$schema` link",
    produces: "application/schema+json",
    producesSchema: Type.Object({}),
    run: async (_, { params }) => getSchema(params.name),
  }),
];

/** `Project.json` → the schema of a Project, with references to other schemas as they are served here. */
function getSchema(fileName: string): string {
  const name = /^(\w+)\.json$/.exec(fileName)?.[1];
  const schema = name === undefined ? undefined : namedSchemas.get(name);
  if (!schema) throw notFound("schema");
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    $id: `${name}.json`,
    title: name,
  };
  return JSON.stringify(document, (key, value) =>
    key === "$ref" && typeof value === "string" ? value.replace(/^(\w+)#$/, "$1.json") : value,
  );
}

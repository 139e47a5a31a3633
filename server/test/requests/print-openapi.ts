import { namedSchemas } from "@millrace/contract/schema/schema";
import type { Route } from "../../src/platform/route.ts";
import { VERSION } from "../../src/platform/version.ts";
import { SHARED_RESPONSES } from "../openapi/error-responses.ts";
import { printSchema } from "../openapi/json-schema.ts";
import { operationOf } from "../openapi/operation.ts";
import { SECURITY_SCHEMES } from "../openapi/security.ts";
import { TEST_SCHEMA } from "./edge-routes.ts";

/** The OpenAPI document of the routes: the expected content of `openapi.json`. */
export function printOpenApi(routes: readonly Route[]): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  const document = {
    ...DOCUMENT,
    components: { schemas: componentSchemas(), responses: SHARED_RESPONSES, securitySchemes: SECURITY_SCHEMES },
    paths,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Millrace",
    version: VERSION,
    description: "Durable jobs and workflows. Every error is a Problem object; all lists use the same envelope.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  // Relative, since all installations share one document: it describes the service that serves it.
  servers: [{ url: "/", description: "The service that serves this document." }],
};

/** Sorted by name, so that the order of imports has no effect. */
function componentSchemas(): Record<string, object> {
  const named = [...namedSchemas].filter(([name]) => !name.startsWith(TEST_SCHEMA));
  const sorted = named.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, schema]) => [name, printSchema(schema)]));
}

import swagger from "@fastify/swagger";
import { namedSchemas } from "@millrace/contract/schema";
import fastify from "fastify";
import { routerPath, routeSchema } from "../src/api/route-schema.ts";
import type { RouteRow } from "../src/platform/route.ts";
import { VERSION } from "../src/platform/version.ts";
import { TEST_SCHEMA } from "./edge-rows.ts";

/** The OpenAPI document of the rows: what `openapi.json` must be. */
export async function printOpenApi(rows: readonly RouteRow[]): Promise<string> {
  const app = fastify({ exposeHeadRoutes: false });
  // By name: the order in which files were read must not show.
  const named = [...namedSchemas]
    .filter(([name]) => !name.startsWith(TEST_SCHEMA))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [, schema] of named) app.addSchema(schema);
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, { openapi: DOCUMENT, refResolver: { buildLocalReference } });
  for (const row of rows) {
    const url = routerPath(row.path);
    app.route({ method: row.method, url, schema: routeSchema(row), handler: () => {} });
  }
  await app.ready();
  return `${JSON.stringify(app.swagger(), null, 2)}\n`;
}

const DOCUMENT = {
  openapi: "3.1.0",
  info: {
    title: "Millrace",
    version: VERSION,
    description: "Durable jobs and workflows. Every error answers one Problem object; every list one envelope.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  components: {
    securitySchemes: {
      apiKey: { type: "http", scheme: "bearer", description: "An API key, `svc_…`." },
      runToken: { type: "http", scheme: "bearer", description: "The `X-Svc-Run-Token` of a dispatch." },
      internalSecret: { type: "apiKey", in: "header", name: "X-Internal-Secret" },
    },
  },
} as const;

function buildLocalReference(
  schema: Record<string, unknown>,
  _base: unknown,
  _fragment: string,
  index: number,
): string {
  return String(schema.$id ?? `Schema${index}`);
}

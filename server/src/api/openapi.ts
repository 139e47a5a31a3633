import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { VERSION } from "../platform/version.ts";

/** `/docs`, and what `/openapi.json` is made of: the rows themselves. */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
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
          internalSecret: { type: "apiKey", in: "header", name: "X-Internal-Secret" },
        },
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `Schema${i}`) },
  });
  await app.register(swaggerUi, { routePrefix: "/docs", staticCSP: true, uiConfig: { persistAuthorization: false } });
}

import type { RequestOrigin } from "../platform/context.ts";
import type { RouteRow } from "../platform/route.ts";
import type { Authenticated } from "./authenticate.ts";

declare module "fastify" {
  interface FastifyRequest {
    origin: RequestOrigin;
    authenticated: Authenticated;
    /** Read-only fields taken out of the body. */
    taken: Record<string, unknown>;
    /** The bytes of the body, of a row that is `signed`. */
    rawBody?: Buffer;
  }
  interface FastifyContextConfig {
    row?: RouteRow;
  }
}

import type { Receipt } from "@millrace/contract/schema/receipts";
import type { RequestOrigin } from "../platform/context.ts";
import type { Route } from "../platform/route.ts";
import type { Authenticated } from "./gate/authenticate.ts";

declare module "fastify" {
  interface FastifyRequest {
    origin: RequestOrigin;
    authenticated: Authenticated;
    /** The project of an OIDC caller, and their permissions there: known once the body is read, after the gate. */
    memberIn?: { project_id: string; scopes: readonly string[] };
    /** Read-only fields removed from the body. */
    taken: Record<string, unknown>;
    /** Replaces the response: the caller may not read what it shows. */
    receipt: Receipt | undefined;
    /** The raw body, for a route that is `signed`. */
    rawBody?: Buffer;
  }
  interface FastifyContextConfig {
    route?: Route;
    /** The route that shows what `route` changes. */
    shown?: Route | undefined;
  }
}

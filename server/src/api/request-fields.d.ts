import type { Receipt } from "@millrace/contract/receipts";
import type { RequestOrigin } from "../platform/context.ts";
import type { RouteRow } from "../platform/route.ts";
import type { Authenticated } from "./authenticate.ts";

declare module "fastify" {
  interface FastifyRequest {
    origin: RequestOrigin;
    authenticated: Authenticated;
    /** In which project an OIDC caller acts, and what he may do there: known with the body, after the gate. */
    memberIn?: { project_id: string; scopes: readonly string[] };
    /** Read-only fields taken out of the body. */
    taken: Record<string, unknown>;
    /** In place of the answer: the caller may not read what it shows. */
    receipt: Receipt | undefined;
    /** The bytes of the body, of a row that is `signed`. */
    rawBody?: Buffer;
  }
  interface FastifyContextConfig {
    row?: RouteRow;
    /** The row that shows what `row` changes. */
    shown?: RouteRow | undefined;
  }
}

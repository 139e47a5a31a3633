import type { FastifyRequest } from "fastify";
import type { Ctx } from "../../platform/context.ts";
import { baseUrl } from "../response/schema-link.ts";

/**
 * Whether this service's own page sent the request. Browsers always send one of these headers; other clients send
 * neither.
 */
export function isOwnOrigin(ctx: Ctx, request: FastifyRequest): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  return origin === undefined || origin === baseUrl(ctx, request);
}

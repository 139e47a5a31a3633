import type { FastifyRequest } from "fastify";
import type { Ctx } from "../platform/context.ts";

const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Where this service is reached: as configured, else as the request named it. */
export function baseUrl(ctx: Ctx, request: FastifyRequest): string {
  if (ctx.config.public_url) return ctx.config.public_url;
  const { host } = request;
  // The Host header is the caller's word: it is repeated only when it can be nothing but a host.
  return HOST.test(host) ? `${request.protocol}://${host}` : `http://localhost:${ctx.config.port}`;
}

export function schemaLink(ctx: Ctx, request: FastifyRequest, name: string): string {
  return `${baseUrl(ctx, request)}/schemas/${name}.json`;
}

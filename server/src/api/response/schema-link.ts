import type { Socket } from "node:net";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import { HOST } from "../gate/client-address.ts";
import type { ApiRequest } from "../http-messages.ts";

/** The base URL of this service: as configured, else as the request named it. */
export function baseUrl(ctx: Ctx, request: ApiRequest): string {
  if (ctx.config.public_url) return ctx.config.public_url;
  const host: string | undefined = request.host;
  // The Host header is untrusted: it is echoed only if it is a valid host.
  if (host === undefined || !HOST.test(host)) return localUrl(request.socket);
  return `${request.protocol === "https" ? "https" : "http"}://${host}`;
}

export function localUrl({ localPort }: Socket): string {
  return `http://localhost:${localPort}`;
}

export function schemaLink(ctx: Ctx, request: ApiRequest, name: string): string {
  // A path that cannot be routed is refused before its origin is known.
  const origin = request.origin as RequestOrigin | undefined;
  return `${origin?.base_url ?? baseUrl(ctx, request)}/schemas/${name}.json`;
}

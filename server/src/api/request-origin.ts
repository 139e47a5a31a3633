import { randomUUID } from "node:crypto";
import type { Ctx, RequestOrigin } from "../platform/context.ts";
import { readTraceContext } from "../platform/trace-context.ts";
import { isLoopback, isPassedOn } from "./gate/client-address.ts";
import type { ApiRequest } from "./http-messages.ts";
import { baseUrl } from "./response/schema-link.ts";

export function originOf(ctx: Ctx, request: ApiRequest): RequestOrigin {
  const { id: request_id, ip, headers } = request;
  const base_url = baseUrl(ctx, request);
  const trace_context = readTraceContext(headers);
  const user_agent = headers["user-agent"] ?? null;
  return {
    ...{ request_id, ip, user_agent, base_url, trace_context },
    // Few routes ask for it.
    get is_private() {
      return isPrivate(request);
    },
  };
}

/**
 * Not read from `PUBLIC_URL`: the port can be reached past the proxy, too. `protocol` is that of a proxy only if it is
 * trusted. A forwarded request comes from elsewhere, even if its proxy is on this machine.
 */
function isPrivate({ protocol, ip, headers }: ApiRequest): boolean {
  return protocol === "https" || (!isPassedOn(headers) && isLoopback(ip));
}

/** The caller's own id is kept if it is short and printable, so that one id can be traced through many systems. */
export function requestIdOf(request: { headers: ApiRequest["headers"] }): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\x20-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}

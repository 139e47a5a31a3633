import { nameOf } from "../../src/api/register-route.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Route } from "../../src/platform/route.ts";
import { type HttpResponse, sendHttp } from "../outside/http-request.ts";
import type { FuzzRequest } from "./fuzz-requests.ts";
import { validatorOf } from "./sample-body.ts";

/** The service under test, and what its requests name. */
export type FuzzTarget = {
  url: string;
  project_id: string;
  key: string;
  internal_secret: string;
  run_token: string;
  /** The cookie of a session of the key. */
  session: string;
  token: string;
  /** By the name of a parameter in paths. */
  own: Record<string, string>;
};

export function sendFuzzed(
  target: FuzzTarget,
  { method, path, query, body, ...made }: FuzzRequest,
): Promise<HttpResponse> {
  const fill = (text: string) =>
    text.replaceAll(OWN, (_, param) => target.own[param] ?? newId()).replaceAll("{other}", newId());
  const headers = headersOf(target, made);
  return sendHttp(target.url, { method, path: fill(`${path}${query}`), headers, body: body && fill(body) });
}

/** In a query it is percent-encoded. */
const OWN = /(?:\{|%7B)own(?::|%3A)(\w+)(?:\}|%7D)/g;

function headersOf(
  { url, key, internal_secret, project_id, run_token, session, token }: FuzzTarget,
  { route, who, headers }: Pick<FuzzRequest, "route" | "who" | "headers">,
): Record<string, string> {
  if (who === "nobody") return headers;
  if (route.auth.kind === "run") return { authorization: `Bearer ${run_token}`, ...headers };
  if (who === "token") return { authorization: `Bearer ${token}`, ...headers };
  // A session that signs out would end all later requests of sessions.
  if (who === "session" && !route.path.startsWith("/v1/session")) return { cookie: session, origin: url, ...headers };
  if (who === "key" || who === "session") return { authorization: `Bearer ${key}`, ...headers };
  return { "x-internal-secret": internal_secret, "x-project-id": project_id, ...headers };
}

/**
 * The stream of a live object stays open as long as it lives. Streams of events are requested for one that has ended.
 */
export const endsByItself = ({ streams, path }: Route) => !streams || path.includes("{eventKey}");

/** Checks any response, regardless of its request. */
export function issueOf({ status, headers, body }: HttpResponse): string | undefined {
  if (status >= 500 || status < 200) return `status ${status}`;
  if (!headers["x-request-id"]) return "no request id";
  if (status < 400 || body === "") return undefined;
  const type = headers["content-type"]?.split(";")[0];
  if (isRpcError(type, body)) return undefined;
  const isScim = type === "application/scim+json";
  if (!isScim && type !== "application/problem+json") return `content type ${headers["content-type"]}`;
  const validate = validatorOf("Problem");
  const problem = isScim ? asProblem(JSON.parse(body)) : JSON.parse(body);
  return validate(problem) ? undefined : `no Problem: ${JSON.stringify(validate.errors)}`;
}

/** MCP prescribes JSON-RPC. */
function isRpcError(type: string | undefined, body: string): boolean {
  return type === "application/json" && body.startsWith('{"jsonrpc":"2.0",') && JSON.parse(body).error.code < 0;
}

/** An error of SCIM has the members of a Problem, with its status as text. */
function asProblem({ schemas, scimType, status, ...rest }: Record<string, unknown>): object {
  const isError = String(schemas) === "urn:ietf:params:scim:api:messages:2.0:Error" && typeof status === "string";
  return isError ? { ...rest, status: Number(status) } : { schemas, scimType, status, ...rest };
}

export function issueOfSuccess(
  { route, method }: FuzzRequest,
  { status, body, headers }: HttpResponse,
): string | undefined {
  const name = nameOf(route.response ?? route.producesSchema);
  if (name === undefined || method !== route.method || status !== route.status) return undefined;
  if (!headers["content-type"]?.includes("json") || headers["content-type"].includes("ndjson")) return undefined;
  const validate = validatorOf(name);
  return validate(JSON.parse(body)) ? undefined : `no ${name}: ${JSON.stringify(validate.errors)}`;
}

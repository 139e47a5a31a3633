import { newId } from "../../src/platform/ids.ts";
import type { Route } from "../../src/platform/route.ts";
import { sendHttp } from "../outside/http-request.ts";
import type { ClientResponse } from "../world/client.ts";
import { type Credential, expectedAccess } from "./expected-access.ts";
import { type JsonSchema, sampleBody, sampleOf } from "./sample-body.ts";

export type RequestParts = { params?: Record<string, string>; query?: string; headers?: Record<string, string> };
export type Walk = {
  /** The number of requests sent. */
  cases: number;
  /** The number of requests that succeeded. */
  done: number;
  /** Deviations from the route's declaration. */
  wrong: string[];
};

const CONCURRENCY = 12;

/** Requests every route with every credential, and compares the response with the route's declaration. */
export async function walkRoutes(
  url: string,
  routes: readonly Route[],
  credentials: readonly Credential[],
): Promise<Walk> {
  const walk: Walk = { cases: 0, done: 0, wrong: [] };
  const pairs = routes.flatMap((route) => credentials.map((credential) => ({ route, credential })));
  await eachOf(pairs, async ({ route, credential }) => {
    const response = await requestRoute(url, route, { headers: await credential.headers(route) });
    walk.cases++;
    if (response.status < 300) walk.done++;
    const expected = expectedAccess(route, credential);
    const found = outcomeOf(response);
    if (found !== expected)
      walk.wrong.push(`${route.method} ${route.path} with ${credential.name}: expected ${expected}, got ${found}`);
  });
  return walk;
}

/** A request to a route with unknown ids and a minimal body. */
export async function requestRoute(
  url: string,
  route: Route,
  { params = {}, query = "", headers = {} }: RequestParts,
): Promise<ClientResponse> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? newId()));
  const sample = sampleBody(route.body);
  const response = await sendHttp(url, {
    method: route.method,
    path: `${path}${withRequired(route, query)}`,
    headers: { ...(sample !== undefined && { "content-type": "application/json" }), ...headers },
    body: sample === undefined ? undefined : JSON.stringify(sample),
  });
  const isJson = /^application\/([\w.-]+\+)?json/.test(response.headers["content-type"] ?? "");
  return {
    status: response.status,
    headers: new Headers(response.headers),
    text: response.body,
    body: isJson && response.body ? JSON.parse(response.body) : null,
  };
}

/** The query with its required parameters. */
function withRequired({ query: schema }: Route, query: string): string {
  const { required = [], properties = {} } = (schema ?? {}) as unknown as JsonSchema;
  const added = required.map((name) => `${name}=${encodeURIComponent(String(sampleOf(properties[name] ?? {})))}`);
  if (added.length === 0) return query;
  return query === "" ? `?${added.join("&")}` : `${query}&${added.join("&")}`;
}

/** A request that passes the gate counts as admitted, whatever the route then returns for unknown ids. */
export function outcomeOf({ status, body }: ClientResponse): string {
  if (status >= 500) return `${status}`;
  // The handler itself, not the gate, refuses to grant more than the caller holds, and a caller who is no person.
  const byHandler = body?.code === "grant_too_wide" || String(body?.detail).startsWith("Only a person");
  const isRejected = status === 401 || (status === 403 && !byHandler);
  return isRejected ? String(body.code) : "admitted";
}

export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

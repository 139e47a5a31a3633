import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../../platform/errors/errors.ts";
import type { Route } from "../../platform/route.ts";
import { routerPath } from "../route-schema.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Builds the fallback for requests without a matching route: a path that exists with other methods is 405 and lists
 * them. Registering every unsupported method instead would give the router five times as many routes to build at start.
 */
export function openMethodError(routes: readonly Route[]): (request: FastifyRequest) => ApiError | undefined {
  let paths: { path: string; shape: RegExp }[] | undefined;
  return (request) => {
    const requested = METHODS.includes(request.method) ? pathOf(request.url) : undefined;
    if (requested === undefined) return undefined;
    paths ??= pathsOf(routes).map((path) => ({ path, shape: shapeOf(path) }));
    const found = paths.find(({ shape }) => shape.test(requested));
    return found && apiErrorOf(routes, found.path);
  };
}

/** Refuses methods that a route with a parameter would match instead: `GET /v1/runs/search` is not a run. */
export function refuseShadowedMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const wide = routes
    .filter((route) => route.path.includes("{"))
    .map(({ method, path }) => ({ method, shape: shapeOf(path) }));
  for (const path of pathsOf(routes)) {
    const over = new Set(wide.filter(({ shape }) => shape.test(path)).map(({ method }) => method as string));
    for (const method of methodsOf(routes, path)) over.delete(method);
    if (over.size === 0) continue;
    app.route({
      method: [...over],
      url: routerPath(path),
      schema: { hide: true } as never,
      onRequest: async () => {
        throw apiErrorOf(routes, path);
      },
      handler: () => {},
    });
  }
}

function apiErrorOf(routes: readonly Route[], path: string): ApiError {
  const allowed = methodsOf(routes, path);
  const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].join(", ");
  return new ApiError("method_not_allowed", `This path supports ${allow}.`, { headers: { allow } });
}

function methodsOf(routes: readonly Route[], path: string): string[] {
  return routes.filter((route) => route.path === path).map((route) => route.method);
}

/** Fewest parameters first, as in the router. */
function pathsOf(routes: readonly Route[]): string[] {
  const parametersIn = (path: string) => path.split("{").length;
  return [...new Set(routes.map((route) => route.path))].toSorted((a, b) => parametersIn(a) - parametersIn(b));
}

const shapes = new Map<string, RegExp>();

/** `{name}` matches anything within a segment of the path. */
function shapeOf(path: string): RegExp {
  const known = shapes.get(path);
  if (known) return known;
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&"));
  const shape = new RegExp(`^${parts.join("[^/]*")}$`);
  shapes.set(path, shape);
  return shape;
}

/** The path as the router reads it: decoded, except for characters that would change its segments. */
function pathOf(url: string): string | undefined {
  const path = url.replace(/^https?:\/\/[^/]*/i, "").split("?", 1)[0] ?? "";
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

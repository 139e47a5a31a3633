import type { Route } from "../../src/platform/route.ts";
import { isWholeSize } from "../world/size.ts";

/**
 * For rules that the gate alone decides: one route of each kind that it distinguishes before it knows the caller. The
 * soak suite tests all routes.
 */
export function oneOfEachKind(routes: Route[]): Route[] {
  return oneOfEach(routes, kindOf);
}

/** One route of each scope that the gate then checks. */
export function oneOfEachScope(routes: Route[]): Route[] {
  return oneOfEach(routes, (route) => [kindOf(route), "scope" in route.auth && route.auth.scope].join());
}

/** For rules of the query that finds the object of a path: one route of each table, and of each kind without one. */
export function oneOfEachTable(routes: Route[]): Route[] {
  return oneOfEach(routes, (route) =>
    [kindOf(route), route.auth.kind === "project" && route.auth.found_by?.table].join(),
  );
}

/** For the response to an unknown object: one route of each kind of path, and of each table. */
export function kindOfPath(route: Route): string {
  const params = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    kindOf(route),
    route.auth.kind === "project" && route.auth.found_by?.table,
    route.path.split("/")[2],
    ...params,
  ].join();
}

function kindOf({ auth, method, streams, limit }: Route): string {
  return [auth.kind, auth.kind === "project" && auth.found_by !== undefined, method === "GET", streams, limit].join();
}

function oneOfEach(routes: Route[], name: (route: Route) => string): Route[] {
  return isWholeSize() ? routes : [...new Map(routes.map((route) => [name(route), route])).values()];
}

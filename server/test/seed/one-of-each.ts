import type { Route } from "../../src/platform/route.ts";
import { isWholeSize } from "../world/size.ts";

/**
 * For rules that the gate alone decides: one route of each kind that it distinguishes before it knows the caller. The
 * soak suite tests all routes.
 */
export function oneOfEachKind(rows: Route[]): Route[] {
  return oneOfEach(rows, kindOf);
}

/** One route of each scope that the gate then checks. */
export function oneOfEachScope(rows: Route[]): Route[] {
  return oneOfEach(rows, (row) => [kindOf(row), "scope" in row.auth && row.auth.scope].join());
}

/** For rules of the query that finds the object of a path: one route of each table, and of each kind without one. */
export function oneOfEachTable(rows: Route[]): Route[] {
  return oneOfEach(rows, (row) => [kindOf(row), row.auth.kind === "project" && row.auth.found_by?.table].join());
}

/** For the response to an unknown object: one route of each kind of path, and of each table. */
export function kindOfPath(row: Route): string {
  const params = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return [
    kindOf(row),
    row.auth.kind === "project" && row.auth.found_by?.table,
    row.path.split("/")[2],
    ...params,
  ].join();
}

function kindOf({ auth, method, streams, limit }: Route): string {
  return [auth.kind, auth.kind === "project" && auth.found_by !== undefined, method === "GET", streams, limit].join();
}

function oneOfEach(rows: Route[], name: (row: Route) => string): Route[] {
  return isWholeSize() ? rows : [...new Map(rows.map((row) => [name(row), row])).values()];
}

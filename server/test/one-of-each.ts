import type { RouteRow } from "../src/platform/route.ts";
import { isWholeSize } from "./size.ts";

/**
 * For what the gate decides alone: one route of each kind that it tells apart, by what it reads of a route before it knows
 * the caller. All routes in the soak suite.
 */
export function oneOfEachKind(rows: RouteRow[]): RouteRow[] {
  return oneOfEach(rows, kindOf);
}

/** Also of each scope that it then asks for. */
export function oneOfEachScope(rows: RouteRow[]): RouteRow[] {
  return oneOfEach(rows, (row) => [kindOf(row), "scope" in row.auth && row.auth.scope].join());
}

function kindOf({ auth, method, streams, limit }: RouteRow): string {
  return [auth.kind, auth.kind === "project" && auth.found_by !== undefined, method === "GET", streams, limit].join();
}

function oneOfEach(rows: RouteRow[], name: (row: RouteRow) => string): RouteRow[] {
  return isWholeSize() ? rows : [...new Map(rows.map((row) => [name(row), row])).values()];
}

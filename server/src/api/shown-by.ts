import type { RouteRow } from "../platform/route.ts";

/** The route that shows what this one changes: PUT and PATCH accept what GET on their path returns. */
export function shownBy(rows: readonly RouteRow[], { method, path }: RouteRow): RouteRow | undefined {
  if (!changesShown(method)) return undefined;
  return rows.find((row) => row.method === "GET" && row.path === path);
}

export function changesShown(method: RouteRow["method"]): boolean {
  return method === "PUT" || method === "PATCH";
}

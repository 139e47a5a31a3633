import type { RouteRow } from "../platform/route.ts";

/** The row that shows what this one changes: PUT and PATCH take back what GET of their path answers. */
export function shownBy(rows: readonly RouteRow[], { method, path }: RouteRow): RouteRow | undefined {
  if (!changesShown(method)) return undefined;
  return rows.find((row) => row.method === "GET" && row.path === path);
}

export function changesShown(method: RouteRow["method"]): boolean {
  return method === "PUT" || method === "PATCH";
}
